import java.util.Arrays;
import java.util.Objects;

/** Prints one line per check: `passed NAME`, `failed NAME: REASON`, `skipped NAME: REASON`. */
final class Checks {
  interface Work {
    void run() throws Exception;
  }

  private Checks() {}

  static void check(String name, Work work) {
    try {
      work.run();
      System.out.println("passed " + name);
    } catch (Exception | AssertionError error) {
      System.out.println("failed " + name + ": " + String.valueOf(error).lines().findFirst().orElse("?"));
    }
  }

  static void skip(String name, String reason) {
    System.out.println("skipped " + name + ": " + reason);
  }

  static void equal(Object found, Object expected) {
    if (!Objects.equals(found, expected)) {
      throw new AssertionError("found " + found + ", expected " + expected);
    }
  }

  static void equalBytes(byte[] found, byte[] expected) {
    if (!Arrays.equals(found, expected)) {
      throw new AssertionError("Found other bytes, " + found.length + " of " + expected.length);
    }
  }

  /** Returns the error that the work throws. Its class must be this one. */
  static <T extends Throwable> T thrown(Class<T> type, Work work) {
    try {
      work.run();
    } catch (Throwable error) {
      if (type.isInstance(error)) return type.cast(error);
      throw new AssertionError("The call threw " + error);
    }
    throw new AssertionError("The call did not throw.");
  }
}
