# What the recipe uses of nixpkgs, in a few lines: enough to build it where nixpkgs is not to be had.
{ recipe, python }:
let
  lib = {
    licenses = { asl20 = 0; bsd3 = 0; mit = 0; };
    platforms.linux = [ ];
  };
  fetchurl = { url, sha256 }: import <nix/fetchurl.nix> { inherit url sha256; };
  mkDerivation = given: derivation {
    name = "${given.pname}-${given.version}";
    inherit (given) src;
    system = builtins.currentSystem;
    builder = "/bin/sh";
    args = [ "-euc" "PATH=/usr/bin:/bin; cd \"$TMPDIR\"; runHook() { :; }\n${given.installPhase}" ];
  };
in
import recipe {
  inherit lib fetchurl;
  stdenvNoCC = { inherit mkDerivation; };
  python3.interpreter = python;
  runtimeShell = "/bin/sh";
}
