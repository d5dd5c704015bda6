import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.thrift.ThriftServer;

/**
 * How does a Python program reach a test's HBase? Through this: HBase's own Thrift server, on a free port.
 *
 * <p>Usage: {@code ThriftGateway HOST:PORT} with the address of ZooKeeper. When it takes connections it prints
 * {@code READY HOST:PORT}, and it ends when its standard input closes, as {@code Cluster} does.
 */
public final class ThriftGateway {
    private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();

    public static void main(String[] args) throws Exception {
        if (args.length != 1) {
            System.err.println("usage: ThriftGateway HOST:PORT");
            System.exit(2);
        }
        int colon = args[0].lastIndexOf(':');
        Configuration conf = HBaseConfiguration.create();
        conf.set("hbase.zookeeper.quorum", args[0].substring(0, colon));
        conf.set("hbase.zookeeper.property.clientPort", args[0].substring(colon + 1));
        conf.setInt("hbase.client.retries.number", 5);
        endWithStandardInput();
        int port = freePort();
        Thread watch = new Thread(() -> tellWhenReady(port));
        watch.setDaemon(true);
        watch.start();
        String[] options = {"--bind", LOOPBACK.getHostAddress(), "--port", "" + port, "--infoport", "-1", "start"};
        Runtime.getRuntime().halt(new ThriftServer(conf).run(options));
    }

    private static void endWithStandardInput() {
        Thread watch = new Thread(() -> {
            try {
                while (System.in.read() >= 0) {
                    // Nothing is said to it.
                }
            } catch (IOException closed) {
                // The same as the end.
            }
            Runtime.getRuntime().halt(0);
        });
        watch.setDaemon(true);
        watch.start();
    }

    private static void tellWhenReady(int port) {
        while (true) {
            try (Socket socket = new Socket()) {
                socket.connect(new InetSocketAddress(LOOPBACK, port));
                System.out.println("READY " + LOOPBACK.getHostAddress() + ":" + port);
                return;
            } catch (IOException notYet) {
                pause();
            }
        }
    }

    private static void pause() {
        try {
            Thread.sleep(20);
        } catch (InterruptedException never) {
            Thread.currentThread().interrupt();
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, LOOPBACK)) {
            return socket.getLocalPort();
        }
    }
}
