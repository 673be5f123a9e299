# Homebrew, on Linux, which installs from a tap alone: docs/install.md has the commands.
class NfsAdvisor < Formula
  desc "Checks NFS configuration and explains every recommendation"
  homepage "@ADDRESS@"
  url "@ADDRESS@/advisor.pyz", using: :nounzip
  version "@VERSION@"
  sha256 "@SHA256@"
  license all_of: ["Apache-2.0", "BSD-3-Clause", "MIT"]

  depends_on :linux
  depends_on "python@3.13"

  def install
    libexec.install "advisor.pyz"
    (bin/"advisor").write <<~SH
      #!/bin/sh
      exec "#{Formula["python@3.13"].opt_bin}/python3.13" "#{libexec}/advisor.pyz" "$@"
    SH
    chmod 0755, bin/"advisor"
    generate_completions_from_executable(bin/"advisor", "completion")
  end

  test do
    (testpath/"fstab").write "nas:/data /mnt nfs nconect=8 0 0\n"
    assert_match "unknown-option", shell_output("#{bin}/advisor lint fstab", 1)
  end
end
