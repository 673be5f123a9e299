#!/bin/sh
# Before a removal, not before an upgrade: "remove" is dpkg's word, 0 that of rpm.
case ${1:-remove} in
remove | 0)
    if [ -z "$DPKG_ROOT" ] && [ -d /run/systemd/system ]; then
        systemctl disable --now advisor-check.timer || :
    fi
    ;;
esac
