#!/bin/sh
# After an installation and a removal, where systemd runs, and not in a folder that holds another system.
if [ -z "$DPKG_ROOT" ] && [ -d /run/systemd/system ]; then
    systemctl daemon-reload || :
fi
