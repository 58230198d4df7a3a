import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.lucene.index.DocValues;
import org.apache.lucene.index.LeafReaderContext;
import org.apache.lucene.index.SortedSetDocValues;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.QueryVisitor;
import org.apache.solr.common.params.SolrParams;
import org.apache.solr.request.SolrQueryRequest;
import org.apache.solr.search.DelegatingCollector;
import org.apache.solr.search.ExtendedQueryBase;
import org.apache.solr.search.PostFilter;
import org.apache.solr.search.QParser;
import org.apache.solr.search.QParserPlugin;

/**
 * {!typo3access}0,-1 keeps the documents whose field "access" lets one of these groups in.
 *
 * <p>The field's value is like 4:1,2/c:0. A page (number) or a record (r) asks for one of its groups, the content (c) for
 * each of them, and all parts must agree. Of several values one is enough. Nonsense is a server error, as in the original.
 */
public class Typo3AccessParser extends QParserPlugin {

  @Override
  public QParser createParser(String groups, SolrParams local, SolrParams params, SolrQueryRequest request) {
    return new QParser(groups, local, params, request) {
      @Override
      public Query parse() {
        return new AccessFilter(numbers(groups == null ? "" : groups));
      }
    };
  }

  static Set<Integer> numbers(String list) {
    return Arrays.stream(list.split(",")).filter(each -> !each.isEmpty()).map(Integer::valueOf)
        .collect(Collectors.toUnmodifiableSet());
  }

  /** Malformed parts say nothing; a value that says nothing lets nobody in. */
  static boolean lets(Set<Integer> visitor, String access) {
    int said = 0;
    for (String part : access.split("/")) {
      List<String> words = Arrays.stream(part.split(":")).filter(each -> !each.isEmpty()).collect(Collectors.toList());
      boolean named = words.size() > 1 && (words.get(0).equals("c") || words.get(0).equals("r"));
      if (words.isEmpty() || words.size() > 2 && !named) {
        continue;
      }
      said++;
      if (!agrees(visitor, words)) {
        return false;
      }
    }
    return said > 0;
  }

  private static boolean agrees(Set<Integer> visitor, List<String> words) {
    if (words.size() == 1) {
      return visitor.containsAll(numbers(words.get(0))); // without a name it is content
    }
    Set<Integer> asked = numbers(words.get(1));
    if (words.get(0).equals("c")) {
      return visitor.containsAll(asked);
    }
    if (!words.get(0).equals("r")) {
      Integer.parseInt(words.get(0)); // the uid of a page, or an error
    }
    return asked.stream().anyMatch(visitor::contains);
  }

  /** Runs after the query, document by document: the number of distinct values is small, that of documents is not. */
  private static final class AccessFilter extends ExtendedQueryBase implements PostFilter {
    private final Set<Integer> visitor;

    AccessFilter(Set<Integer> visitor) {
      this.visitor = visitor;
    }

    @Override
    public boolean getCache() {
      return false;
    }

    @Override
    public int getCost() {
      return Math.max(super.getCost(), 100); // from 100 on Solr takes it for a post filter
    }

    @Override
    public DelegatingCollector getFilterCollector(IndexSearcher searcher) {
      return new DelegatingCollector() {
        private SortedSetDocValues values;

        @Override
        protected void doSetNextReader(LeafReaderContext context) throws IOException {
          values = DocValues.getSortedSet(context.reader(), "access");
          super.doSetNextReader(context);
        }

        @Override
        public void collect(int document) throws IOException {
          if (!values.advanceExact(document)) {
            return;
          }
          for (int left = values.docValueCount(); left > 0; left--) {
            if (lets(visitor, values.lookupOrd(values.nextOrd()).utf8ToString())) {
              super.collect(document);
              return;
            }
          }
        }
      };
    }

    @Override
    public void visit(QueryVisitor visitor) {
      visitor.visitLeaf(this);
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof AccessFilter && ((AccessFilter) other).visitor.equals(visitor);
    }

    @Override
    public int hashCode() {
      return visitor.hashCode();
    }
  }
}
