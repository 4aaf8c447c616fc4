# Evaluates a formula of Homebrew for one system, and runs its `install` in the current folder. Prints what it names and installs.
# Usage: ruby formula.rb FORMULA macos|linux arm|intel
require "json"

formula, system, processor = ARGV

class Formula
  class << self
    attr_reader :said

    %i[desc homepage version url sha256].each do |field|
      define_method(field) { |value| (@said ||= {})[field] = value }
    end

    def license(**) = nil
    def test(&) = nil

    %w[macos linux arm intel].each do |name|
      define_method("on_#{name}") { |&block| block.call if ARGV.include?(name) }
    end
  end

  # A folder of the installation. It takes files that exist, also under another name.
  class Folder
    def initialize(name, installed) = (@name, @installed = name, installed)

    def install(*files)
      files.flat_map { |file| file.is_a?(Hash) ? file.to_a : [[file, File.basename(file)]] }.each do |from, to|
        raise "#{from} is not in the archive" unless File.exist?(from)
        @installed << "#{@name}/#{to}"
      end
    end
  end

  def installed = @installed ||= []

  %i[bin bash_completion zsh_completion fish_completion doc].each do |name|
    define_method(name) { Folder.new(name, installed) }
  end
end

raise "unknown system" unless %w[macos linux].include?(system) && %w[arm intel].include?(processor)
load formula
one = Ubp.new
one.install
puts JSON.generate(Ubp.said.merge(installed: one.installed))
