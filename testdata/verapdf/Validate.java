import java.io.ByteArrayInputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.mustangproject.validator.ZUGFeRDValidator;
import org.verapdf.gf.foundry.VeraGreenfieldFoundryProvider;
import org.verapdf.pdfa.Foundries;
import org.verapdf.pdfa.PDFAParser;
import org.verapdf.pdfa.PDFAValidator;
import org.verapdf.pdfa.flavours.PDFAFlavour;
import org.verapdf.pdfa.results.TestAssertion;
import org.verapdf.pdfa.results.ValidationResult;

/**
 * Validates every *.pdf of the folders given, all in one JVM, with veraPDF by the flavours that the
 * end of its name says, such as x.2b+ua1.pdf. Those without are hybrid invoices: PDF/A-3b, and also
 * validated with Mustang, whose verdict on the PDF counts and whose verdict on the XML (schematron
 * too) is only told. Prints one line of tab-separated columns per file: name, verapdf verdict and
 * failed rules, mustang's verdict on the PDF, its verdict on the XML, messages. Ends with 1 if any
 * PDF fails.
 */
public class Validate {
  private static final Pattern FLAVOURS = Pattern.compile("\\.([\\w+]+)\\.pdf$");
  private static final Pattern SECTION = Pattern.compile("<(pdf|xml)>(.*?)</\\1>", Pattern.DOTALL);
  private static final Pattern STATUS = Pattern.compile("<summary status=\"(\\w+)\"");
  private static final Pattern MESSAGE = Pattern.compile("<(error|exception|fatal)\\b[^>]*>(.*?)</\\1>", Pattern.DOTALL);

  public static void main(String[] args) throws Exception {
    PrintStream out = System.out;
    System.setOut(System.err); // what libraries print is no result
    VeraGreenfieldFoundryProvider.initialise();
    int failed = 0;
    for (String folder : args) {
      List<Path> files;
      try (Stream<Path> all = Files.walk(Path.of(folder))) {
        files = all.filter(p -> p.toString().endsWith(".pdf")).sorted().collect(Collectors.toList());
      }
      for (Path file : files) {
        Matcher named = FLAVOURS.matcher(file.getFileName().toString());
        boolean hybrid = !named.find();
        StringBuilder rules = new StringBuilder();
        for (String flavour : hybrid ? new String[] {"3b"} : named.group(1).split("\\+")) rules.append(verapdf(file, PDFAFlavour.byFlavourId(flavour)));
        String[] mustang = hybrid ? mustang(file) : new String[] {"valid", "none", ""};
        if (rules.length() > 0 || !mustang[0].equals("valid")) failed++;
        out.println(String.join("\t", file.getFileName().toString(), rules.length() == 0 ? "pass" : "fail " + rules,
            mustang[0], mustang[1], mustang[2]));
        out.flush();
      }
    }
    System.exit(failed == 0 ? 0 : 1);
  }

  /** The failed rules, "" if there are none. */
  private static String verapdf(Path file, PDFAFlavour flavour) {
    try (PDFAParser parser = Foundries.defaultInstance().createParser(new ByteArrayInputStream(Files.readAllBytes(file)), flavour);
        PDFAValidator validator = Foundries.defaultInstance().createValidator(flavour, false)) {
      ValidationResult result = validator.validate(parser);
      TreeSet<String> rules = new TreeSet<>();
      for (TestAssertion a : result.getTestAssertions()) {
        if (a.getStatus() == TestAssertion.Status.FAILED) {
          rules.add(a.getRuleId().getClause() + "-" + a.getRuleId().getTestNumber());
        }
      }
      return result.isCompliant() ? "" : String.join(",", rules) + " ";
    } catch (Exception e) {
      return "exception " + e;
    }
  }

  /** Verdict on the PDF, on the XML, and messages about the PDF. */
  private static String[] mustang(Path file) {
    String report = new ZUGFeRDValidator().validate(file.toString());
    String pdf = "none", xml = "none";
    StringBuilder messages = new StringBuilder();
    for (Matcher section = SECTION.matcher(report); section.find(); ) {
      Matcher status = STATUS.matcher(section.group(2));
      String verdict = "none";
      while (status.find()) verdict = status.group(1); // the section's own is the last
      if (section.group(1).equals("xml")) {
        xml = verdict;
        continue;
      }
      pdf = verdict;
      for (Matcher m = MESSAGE.matcher(section.group(2)); m.find(); ) messages.append(m.group(2).replaceAll("\\s+", " ")).append("; ");
    }
    if (pdf.equals("none")) messages.append(report.replaceAll("\\s+", " "));
    return new String[] {pdf, xml, messages.toString()};
  }
}
