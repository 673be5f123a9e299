# nix: nix-build -E 'with import <nixpkgs> {}; callPackage ./nfs-advisor.nix {}'
{ lib, stdenvNoCC, fetchurl, python3, runtimeShell }:

stdenvNoCC.mkDerivation {
  pname = "nfs-advisor";
  version = "@VERSION@";
  src = fetchurl {
    url = "@ADDRESS@/advisor.pyz";
    sha256 = "@SHA256@";
  };
  dontUnpack = true;
  installPhase = ''
    runHook preInstall
    install -Dm644 "$src" "$out/lib/advisor.pyz"
    mkdir -p "$out/bin"
    printf '#!%s\nexec %s %s "$@"\n' ${runtimeShell} ${python3.interpreter} "$out/lib/advisor.pyz" > "$out/bin/advisor"
    chmod 755 "$out/bin/advisor"
    for shell in bash zsh fish; do "$out/bin/advisor" completion "$shell" > "$shell"; done
    install -Dm644 bash "$out/share/bash-completion/completions/advisor"
    install -Dm644 zsh "$out/share/zsh/site-functions/_advisor"
    install -Dm644 fish "$out/share/fish/vendor_completions.d/advisor.fish"
    runHook postInstall
  '';
  meta = {
    description = "Checks NFS configuration and explains every recommendation";
    license = with lib.licenses; [ asl20 bsd3 mit ];
    mainProgram = "advisor";
    platforms = lib.platforms.linux;
  };
}
