import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import org.apache.lucene.analysis.standard.StandardAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.StringField;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.BooleanClause;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.search.similarities.BM25Similarity;
import org.apache.lucene.store.ByteBuffersDirectory;

/**
 * Ranks texts with Lucene's BM25. Standard input has one line per text, "D", id and text, and then one line per query,
 * "Q", "any" or "all" and words, separated by tabs. Prints the ids of the ten best texts of each query in one line.
 */
public class Bm25 {
  private static final int BEST = 10;

  public static void main(String[] args) throws Exception {
    var directory = new ByteBuffersDirectory();
    var writer = new IndexWriter(directory, new IndexWriterConfig(new StandardAnalyzer()));
    var input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    IndexSearcher searcher = null;
    var out = new StringBuilder();
    for (String line = input.readLine(); line != null; line = input.readLine()) {
      var parts = line.split("\t", 3);
      if (parts[0].equals("D")) {
        var document = new Document();
        document.add(new StringField("id", parts[1], Field.Store.YES));
        document.add(new TextField("text", parts[2], Field.Store.NO));
        writer.addDocument(document);
        continue;
      }
      if (searcher == null) {
        writer.close();
        searcher = new IndexSearcher(DirectoryReader.open(directory));
        searcher.setSimilarity(new BM25Similarity());
      }
      var occur = parts[1].equals("all") ? BooleanClause.Occur.MUST : BooleanClause.Occur.SHOULD;
      var query = new BooleanQuery.Builder();
      for (String word : parts[2].split(" ")) query.add(new TermQuery(new Term("text", word)), occur);
      for (ScoreDoc found : searcher.search(query.build(), BEST).scoreDocs) {
        out.append(searcher.storedFields().document(found.doc).get("id")).append(' ');
      }
      out.append('\n');
    }
    System.out.print(out);
  }
}
