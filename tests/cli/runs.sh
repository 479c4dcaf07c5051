#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
exit 77
