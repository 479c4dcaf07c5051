# SPDX-License-Identifier: GPL-3.0-or-later
#
# validate.py SCHEMA.json RESULT.json...: does a public validator accept them, and does the schema name
# every member there is? The schema allows more members, so that readers outlive additions; here none
# may be missing from it.
import json
import sys
import warnings

warnings.simplefilter("ignore")
from jsonschema import Draft7Validator

def closed(node):
    if isinstance(node, dict):
        node = {name: closed(value) for name, value in node.items()}
        if node.get("type") == "object" and "additionalProperties" not in node:
            node["additionalProperties"] = False
    elif isinstance(node, list):
        node = [closed(value) for value in node]
    return node

with open(sys.argv[1]) as f:
    schema = json.load(f)
Draft7Validator.check_schema(schema)
bad = 0
for name in sys.argv[2:]:
    with open(name) as f:
        result = json.load(f)
    for strict in (schema, closed(schema)):
        for error in Draft7Validator(strict).iter_errors(result):
            print("%s: /%s: %s" % (name, "/".join(map(str, error.absolute_path)), error.message[:300]))
            bad = 1
sys.exit(bad)
