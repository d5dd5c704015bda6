# Runs statements in HBase's own shell and says what it printed.
#
#   driver.rb HOST:PORT/ROOT < statements
#
# Standard input has a statement a line, in which `\n` within a statement is written as the byte 1; what each printed ends
# with a line that holds the byte 4 alone. One process serves all scripts, because JRuby takes its time to start.

require 'hbase_constants'
require 'hbase_shell'
require 'shell/formatter'

host, port, root = ARGV[0].split(%r{[:/]})
settings = org.apache.hadoop.hbase.HBaseConfiguration.create
settings.set('hbase.zookeeper.quorum', host)
settings.set('hbase.zookeeper.property.clientPort', port)
settings.set('zookeeper.znode.parent', "/#{root}")
# What is refused is refused for good in these scripts; do not ask for long.
settings.set('hbase.client.retries.number', '3')

shell = Shell::Shell.new(Hbase::Hbase.new(settings), true)
receiver = HBaseReceiver.new
shell.export_all(receiver)
context = receiver.get_binding

STDOUT.sync = true
STDIN.set_encoding('UTF-8')
while (line = STDIN.gets)
  begin
    context.eval(line.chomp.tr("\x01", "\n"))
  rescue Exception => e
    puts "#{e.class}: #{e.message.lines.first}"
  end
  puts "\x04"
end
