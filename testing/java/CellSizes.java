import java.io.File;
import java.util.Arrays;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.CellComparatorImpl;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.apache.hadoop.hbase.io.hfile.HFileContextBuilder;
import org.apache.hadoop.hbase.regionserver.ChunkCreator;
import org.apache.hadoop.hbase.regionserver.DefaultMemStore;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * How many bytes does HBase itself take for cells?
 *
 * <p>{@code CellSizes ROW FAMILY QUALIFIER VALUE COUNT BLOCK}: lengths in bytes of the parts of a cell, how many rows of one
 * such cell, and the block size. Prints the length of one {@code KeyValue}, what a memstore counts for all of them, the
 * length of a file of them (not compressed), its number of blocks, and the bytes of its index, one number a line.
 */
public final class CellSizes {
    public static void main(String[] args) throws Exception {
        int[] given = Arrays.stream(args).mapToInt(Integer::parseInt).toArray();
        byte[] family = new byte[given[1]];
        byte[] qualifier = new byte[given[2]];
        byte[] value = new byte[given[3]];
        Arrays.fill(family, (byte) 'f');
        Arrays.fill(qualifier, (byte) 'q');
        KeyValue[] cells = new KeyValue[given[4]];
        for (int at = 0; at < cells.length; at++) {
            byte[] row = new byte[given[0]];
            System.arraycopy(Bytes.toBytes(at), 0, row, row.length - 4, 4);
            cells[at] = new KeyValue(row, family, qualifier, 1735689600000L, value);
        }
        System.out.println(cells[0].getLength());

        Configuration conf = HBaseConfiguration.create();
        ChunkCreator.initialize(2 * 1024 * 1024, false, 64L << 20, 0, 0, null, 0.1f);
        DefaultMemStore memstore = new DefaultMemStore(conf, CellComparatorImpl.COMPARATOR);
        for (KeyValue cell : cells) {
            memstore.add(cell, null);
        }
        System.out.println(memstore.size().getHeapSize());

        File file = File.createTempFile("cells", ".hfile");
        file.delete();
        Path path = new Path(file.toURI());
        FileSystem fs = FileSystem.getLocal(conf);
        try (HFile.Writer writer =
                HFile.getWriterFactory(conf, CacheConfig.DISABLED)
                        .withPath(fs, path)
                        .withFileContext(new HFileContextBuilder().withBlockSize(given[5]).withIncludesMvcc(false).build())
                        .create()) {
            for (KeyValue cell : cells) {
                writer.append(cell);
            }
        }
        System.out.println(fs.getFileStatus(path).getLen());
        try (HFile.Reader reader = HFile.createReader(fs, path, CacheConfig.DISABLED, true, conf)) {
            System.out.println(reader.getTrailer().getDataIndexCount());
            System.out.println(reader.getTrailer().getUncompressedDataIndexSize());
        }
        fs.delete(path, false);
    }
}
