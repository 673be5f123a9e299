# What the formula uses of Homebrew, in a few lines: installs it below PREFIX and runs its test, where Homebrew is not to
# be had. ruby formula.rb FORMULA PREFIX; OPT_BIN is the folder of its Python
require "digest"
require "fileutils"
require "pathname"

class Pathname
  def install(file)
    mkpath
    FileUtils.cp(file, self)
  end
  alias_method :write_file, :write
  def write(text)
    dirname.mkpath
    write_file(text)
  end
end

class Formula
  class << self
    attr_reader :told, :checked
    def desc(words) = (raise "desc" if words.length > 80)
    def homepage(_) = nil
    def version(words) = (raise "version" unless words.match?(/\A[0-9.]+\z/))
    def license(_) = nil
    def depends_on(_) = nil
    def url(from, using:) = (@told = from.delete_prefix("file://"); raise "using" unless using == :nounzip)
    def sha256(sum) = (raise "sha256" unless Digest::SHA256.file(@told).hexdigest == sum)
    def test(&block) = @checked = block
    def [](_) = Struct.new(:opt_bin).new(Pathname(ENV.fetch("OPT_BIN")))
  end
  def initialize(prefix) = @prefix = Pathname(prefix)
  def bin = @prefix/"bin"
  def libexec = @prefix/"libexec"
  def testpath = Pathname(Dir.pwd)
  def chmod(mode, path) = FileUtils.chmod(mode, path)
  def generate_completions_from_executable(program, word)
    %w[bash zsh fish].each { |shell| raise shell unless shell_output("#{program} #{word} #{shell}", 0).include?("advisor") }
  end
  def shell_output(command, code)
    said = `#{command}`
    raise "#{command}: #{$?.exitstatus}" unless $?.exitstatus == code
    said
  end
  def assert_match(words, text) = (raise words unless text.include?(words))
end

load ARGV[0]
made = NfsAdvisor.new(ARGV[1])
Dir.chdir(File.dirname(NfsAdvisor.told)) { made.install }
made.instance_eval(&NfsAdvisor.checked)
