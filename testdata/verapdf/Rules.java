import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.xml.transform.stream.StreamSource;
import net.sf.saxon.s9api.Processor;
import net.sf.saxon.s9api.QName;
import net.sf.saxon.s9api.SaxonApiException;
import net.sf.saxon.s9api.XdmDestination;
import net.sf.saxon.s9api.XdmItem;
import net.sf.saxon.s9api.XdmNode;
import net.sf.saxon.s9api.XPathCompiler;
import net.sf.saxon.s9api.XsltExecutable;
import net.sf.saxon.s9api.Xslt30Transformer;

/**
 * Applies the official business rules, of Mustang's validator and others, to invoices, all in one JVM. Reads lines of a rule set and a file,
 * separated by a tab, from standard input, and prints for each, after the same two columns, "ok" or the error with
 * which the rules broke off, and the rules that fired as flag:rule×count. A flag that the rules do not give is "error", a rule
 * without an identifier "?".
 */
public class Rules {
  private static final Map<String, String> STYLESHEETS = Map.ofEntries(
      Map.entry("en16931", "xslt/en16931schematron/EN16931-CII-validation.xslt"),
      Map.entry("en16931-ubl", "external/schematron/1.3.16/ubl/EN16931-UBL-validation.xslt"),
      Map.entry("fr", "xslt/XP_Z12_012/20260216_BR-FR-Flux2-Schematron-CII_V1.3.0.xsl"),
      Map.entry("peppol-ubl", "external/schematron/openpeppol/2026.5/xslt/PEPPOL-EN16931-UBL.xslt"),
      Map.entry("peppol-selfbilling-ubl", "external/schematron/openpeppol/2026.5/xslt/PEPPOL-EN16931-UBL-SB.xslt"),
      Map.entry("xrechnung", "xslt/XR_30/XRechnung-CII-validation.xslt"),
      Map.entry("xrechnung-ubl", "xslt/XR_30/XRechnung-UBL-validation.xslt"),
      Map.entry("minimum", "xslt/ZF_250/FACTUR-X_MINIMUM.xslt"),
      Map.entry("basicwl", "xslt/ZF_250/FACTUR-X_BASIC-WL.xslt"),
      Map.entry("basic", "xslt/ZF_250/FACTUR-X_BASIC.xslt"),
      Map.entry("factur-x-en16931", "xslt/ZF_250/FACTUR-X_EN16931.xslt"),
      Map.entry("extended", "xslt/ZF_250/FACTUR-X_EXTENDED.xslt"));
  private static final Pattern BRACKETS = Pattern.compile("\\[([A-Za-z0-9_-]+)\\]");

  private static final Processor PROCESSOR = new Processor(false);

  public static void main(String[] args) throws Exception {
    Map<String, XsltExecutable> compiled = new TreeMap<>();
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    List<String> lines = new java.io.BufferedReader(new java.io.InputStreamReader(System.in, StandardCharsets.UTF_8)).lines().collect(Collectors.toList());
    for (String line : lines) {
      String set = line.split("\t")[0];
      if (!compiled.containsKey(set)) {
        compiled.put(set, PROCESSOR.newXsltCompiler().compile(new StreamSource(resource(STYLESHEETS.get(set)))));
      }
    }
    lines.parallelStream().map(line -> line + "\t" + judge(compiled, line.split("\t"))).forEachOrdered(out::println);
  }

  private static String resource(String path) {
    return Rules.class.getClassLoader().getResource(path).toString();
  }

  /** The state and the rules that fired, separated by a tab. */
  @SuppressWarnings("deprecation")
  private static String judge(Map<String, XsltExecutable> compiled, String[] columns) {
    XdmDestination report = new XdmDestination();
    String folder = STYLESHEETS.get(columns[0]).replaceFirst("[^/]*$", "");
    Map<String, Integer> fired = new TreeMap<>();
    try {
      XPathCompiler xpath = PROCESSOR.newXPathCompiler();
      xpath.declareNamespace("svrl", "http://purl.oclc.org/dsdl/svrl");
      Xslt30Transformer transformer = compiled.get(columns[0]).load30();
      transformer.setMessageHandler(m -> { });
      transformer.setURIResolver((file, base) -> new StreamSource(resource(folder + file)));
      transformer.transform(new StreamSource(Path.of(columns[1]).toFile()), report);
      for (XdmItem item : xpath.evaluate("//svrl:failed-assert|//svrl:successful-report", report.getXdmNode())) {
        XdmNode assertion = (XdmNode) item;
        String flag = assertion.getAttributeValue(new QName("flag"));
        if (flag == null) flag = assertion.getAttributeValue(new QName("role"));
        Matcher code = BRACKETS.matcher(xpath.evaluateSingle("string(svrl:text)", assertion).getStringValue());
        String own = assertion.getAttributeValue(new QName("id"));
        String id = code.find() ? code.group(1) : own == null ? "?" : own;
        fired.merge((flag == null ? "error" : flag) + ":" + id, 1, Integer::sum);
      }
    } catch (SaxonApiException e) {
      return "error " + e.getMessage().replaceAll("\\s+", " ") + "\t";
    }
    return "ok\t" + fired.entrySet().stream().map(e -> e.getKey() + "×" + e.getValue()).collect(Collectors.joining(","));
  }
}
