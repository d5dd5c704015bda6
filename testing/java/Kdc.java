import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;
import org.apache.kerby.kerberos.kerb.server.KdcConfigKey;
import org.apache.kerby.kerberos.kerb.server.SimpleKdcServer;

/**
 * Who hands out the tickets of a test? This program: a key distribution centre of Kerberos on the loopback address, TCP only.
 *
 * <p>Usage: {@code Kdc FOLDER REALM}. When it answers it prints {@code KDC PORT}. Then it takes lines
 * {@code principal NAME KEYTAB}, which makes a principal with a random key, writes the key to a keytab and is answered with
 * {@code KEYTAB FILE}. It ends when its standard input closes, and deletes FOLDER.
 */
public final class Kdc {
    private static final String HOST = "127.0.0.1";

    public static void main(String[] args) throws Exception {
        int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getByName(HOST))) {
            port = free.getLocalPort();
        }
        SimpleKdcServer kdc = new SimpleKdcServer();
        kdc.setWorkDir(new File(args[0]));
        kdc.setKdcRealm(args[1]);
        kdc.setKdcHost(HOST);
        kdc.setAllowUdp(false);
        kdc.setAllowTcp(true);
        kdc.setKdcTcpPort(port);
        // tests ask for tickets of seconds
        kdc.getKdcConfig().setLong(KdcConfigKey.MINIMUM_TICKET_LIFETIME, 1L);
        kdc.init();
        kdc.start();
        System.out.println("KDC " + port);
        System.out.flush();
        try (BufferedReader input = new BufferedReader(new InputStreamReader(System.in))) {
            for (String line = input.readLine(); line != null; line = input.readLine()) {
                System.out.println(answer(kdc, args[1], line.trim().split(" ", 3)));
                System.out.flush();
            }
        } catch (IOException closed) {
            // the same as the end of input
        }
        try (Stream<Path> paths = Files.walk(Path.of(args[0]))) {
            paths.sorted(Comparator.reverseOrder()).forEach(path -> path.toFile().delete());
        } catch (IOException | RuntimeException gone) {
            // the parent may delete at the same time
        }
        Runtime.getRuntime().halt(0);
    }

    private static String answer(SimpleKdcServer kdc, String realm, String[] words) {
        try {
            String principal = words[1] + "@" + realm;
            kdc.createPrincipal(principal);
            kdc.exportPrincipal(principal, new File(words[2]));
            return "KEYTAB " + words[2];
        } catch (Exception failure) {
            return "FAILED " + String.join(" ", words) + ": " + failure;
        }
    }
}
