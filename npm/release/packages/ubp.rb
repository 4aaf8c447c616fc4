class Ubp < Formula
  desc "Search, links and freshness for a folder of Markdown pages"
  homepage "@homepage@"
  version "@version@"
  license any_of: ["MIT", "Apache-2.0"]

  on_macos do
    on_arm do
      url "@downloads@/ubp-@version@-aarch64-apple-darwin.tar.gz"
      sha256 "@sum:aarch64-apple-darwin@"
    end
    on_intel do
      url "@downloads@/ubp-@version@-x86_64-apple-darwin.tar.gz"
      sha256 "@sum:x86_64-apple-darwin@"
    end
  end

  # Linked statically, so that it needs no C library of a certain version.
  on_linux do
    on_arm do
      url "@downloads@/ubp-@version@-aarch64-unknown-linux-musl.tar.gz"
      sha256 "@sum:aarch64-unknown-linux-musl@"
    end
    on_intel do
      url "@downloads@/ubp-@version@-x86_64-unknown-linux-musl.tar.gz"
      sha256 "@sum:x86_64-unknown-linux-musl@"
    end
  end

  def install
    bin.install "ubp"
    bash_completion.install "completions/ubp.bash" => "ubp"
    zsh_completion.install "completions/_ubp"
    fish_completion.install "completions/ubp.fish"
    doc.install "NOTICE", "THIRD-PARTY-LICENSES"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/ubp --version")
    (testpath/"login.md").write "# Login\n\nUsers sign in with a password.\n"
    system bin/"ubp", "init", "--yes"
    assert_match "login.md", shell_output("#{bin}/ubp search password -l")
  end
end
