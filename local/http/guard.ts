import type { IncomingMessage } from 'node:http';
import { isS3Host } from './s3/index.ts';

/**
 * Whether a host, without its port, is this machine itself.
 *
 * @example
 * ```ts
 * isLoopback('127.0.0.1'); // true
 * isLoopback('sqs.us-east-1.amazonaws.com'); // false
 * ```
 */
export const isLoopback = (host: string): boolean =>
  /^(localhost|[a-z0-9.-]+\.localhost|127(\.\d{1,3}){3}|\[::1\]|::1)$/i.test(host);

/**
 * Why a request must not be served, if so: signatures are not verified, so a page in a browser of this machine
 * must not reach the endpoint, neither under a name of its own (DNS rebinding) nor from another origin.
 */
export function refusal(request: IncomingMessage): string | undefined {
  const { host, origin } = request.headers;
  const name = hostName(host ?? '');
  // A tool may bring S3's own name here, a browser has no reason to.
  const isTool = origin === undefined && request.headers['sec-fetch-site'] === undefined;
  if (!isLoopback(name) && !(isTool && isS3Host(name)))
    return `The Host header is "${host ?? ''}": only localhost and loopback addresses are served.`;
  if (origin !== undefined && origin !== `http://${host}`)
    return `The request comes from another origin, "${origin}": pages of other sites are not served.`;
  // To a browser all ports of a host are one site; a link or an image of such a page brings no Origin.
  const from = request.headers['sec-fetch-site'];
  if (from === 'cross-site' || from === 'same-site')
    return 'The request comes from a page of another site or port: such requests are not served.';
  return undefined;
}

const hostName = (host: string): string => host.replace(/:\d+$/, '');
