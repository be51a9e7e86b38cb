import { clientFor, readAwsCommand } from '../docs/aws-command.ts';
import { commands } from '../docs/support.ts';
import { ServerFailure } from '../servers/index.ts';

/**
 * Runs the commands of the AWS CLI that docs/localstack.md shows, as a user would after the deployment.
 *
 * @param output - an output of the deployed stack
 * @throws {ServerFailure} when one fails
 */
export async function tryDocumentation(
  server: string,
  url: string,
  output: (name: string) => string,
  say: (line: string) => void,
): Promise<void> {
  const variables = {
    TOPIC_ARN: output('TopicArnOrders'),
    STOCK_TABLE: output('StockTable'),
    QUEUE_URL: output('QueueUrlEmail'),
  };
  const shown = commands.filter(
    ({ page, command }) => page === 'docs/localstack.md' && command.startsWith('aws '),
  );
  if (shown.length === 0) throw new Error('docs/localstack.md shows no command of the AWS CLI.');
  for (const { command, line } of shown) {
    const call = readAwsCommand(command, variables);
    const client = clientFor(call, url);
    try {
      await client.send(call.command);
    } catch (error) {
      throw new ServerFailure(
        `${server} refuses the command of docs/localstack.md:${line}: ${(error as Error).message}`,
        { cause: error },
      );
    } finally {
      client.destroy();
    }
  }
  say(`${shown.length} commands of docs/localstack.md work`);
}
