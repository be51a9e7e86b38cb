import com.amazonaws.services.dynamodbv2.local.main.ServerRunner;
import com.amazonaws.services.dynamodbv2.local.server.DynamoDBProxyServer;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;

/** DynamoDB Local on 127.0.0.1: its own program has no option for that, and listens on every address. */
public final class Loopback {
  public static void main(String[] arguments) throws Exception {
    DynamoDBProxyServer program = ServerRunner.createServerFromCommandLineArgs(arguments);
    var field = DynamoDBProxyServer.class.getDeclaredField("server");
    field.setAccessible(true);
    for (Connector connector : ((Server) field.get(program)).getConnectors())
      ((ServerConnector) connector).setHost("127.0.0.1");
    program.start();
    program.join();
  }
}
