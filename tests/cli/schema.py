# SPDX-License-Identifier: GPL-3.0-or-later
#
# schema.py SCHEMA [-m] FILE...: do the scenarios (with -m, the machine files) keep to the JSON schema?
# Each fault is printed; with -w, it is a fault if one keeps to it.
import json
import sys

import jsonschema
import yaml

schema = json.load(open(sys.argv[1], encoding="utf-8"))
options = [word for word in sys.argv[2:] if word in ("-m", "-w")]
jsonschema.Draft7Validator.check_schema(schema)
if "-m" in options:
    schema = {"$ref": "#/definitions/machine_file", "definitions": schema["definitions"]}
validator = jsonschema.Draft7Validator(schema)

bad = 0
for name in sys.argv[2 + len(options):]:
    with open(name, encoding="utf-8") as text:
        documents = [yaml.safe_load(line) for line in text] if "-w" in options else [yaml.safe_load(text)]
    for number, document in enumerate(documents, 1):
        faults = [f"{'.'.join(map(str, e.absolute_path))}: {e.message}" for e in validator.iter_errors(document)]
        if "-w" in options and not faults:
            faults = [f"{document} keeps to the schema"]
        elif "-w" in options:
            faults = []
        for fault in faults:
            print(f"{name}:{number}: {fault}"[:400])
            bad = 1
sys.exit(bad)
