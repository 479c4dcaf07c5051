#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# agree.sh for all states, half a second of load, means of four seeds.
exec bash "$(dirname "$0")/agree.sh" "S0 S1 S2 S3" 500ms 4
