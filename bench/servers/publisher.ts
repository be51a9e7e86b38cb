import { Agent, request } from 'node:http';

/** Publishes batches without the SDK, which takes longer to write a request than a server here to answer it. */
export interface Publisher {
  /** Publishes the messages in one PublishBatch; gives the answer as it came. */
  publish(topicArn: string, messages: readonly string[]): Promise<string>;
  close(): void;
}

/** Servers find the service by the scope of the signature; none of them verifies it. */
const authorization =
  'AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/sns/aws4_request, SignedHeaders=host, Signature=00';

/** Opens a publisher at a server, over connections that it keeps. */
export function openPublisher(url: string): Publisher {
  const agent = new Agent({ keepAlive: true });
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded', Authorization: authorization };
  return {
    publish: (topicArn, messages) =>
      new Promise((resolve, reject) => {
        const form = messages.map((message, index) => {
          const entry = `PublishBatchRequestEntries.member.${index + 1}`;
          return `${entry}.Id=${index}&${entry}.Message=${encodeURIComponent(message)}`;
        });
        const body = `Action=PublishBatch&Version=2010-03-31&TopicArn=${encodeURIComponent(topicArn)}&${form.join('&')}`;
        const sent = request(url, { method: 'POST', agent, headers }, (response) => {
          let answer = '';
          response.setEncoding('utf8');
          response.on('data', (chunk: string) => {
            answer += chunk;
          });
          response.once('end', () => resolve(answer));
          response.once('error', reject);
        });
        sent.once('error', reject);
        sent.end(body);
      }),
    close: () => agent.destroy(),
  };
}
