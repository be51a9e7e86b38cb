import { devNull } from 'node:os';
import { Failure } from './errors.ts';

/**
 * Makes the environment of a local verb: it brings its own credentials, and has no use for a profile, keys, an
 * endpoint or configuration files of the user's: `use_fips_endpoint` in one of those is enough to lead the SDK
 * astray. An endpoint that leads away from this machine is refused rather than ignored: whoever set it means another
 * place than this verb works in.
 *
 * @throws {Failure} when an endpoint is set that is not a loopback address
 */
export function enterLocal(environment: NodeJS.ProcessEnv): void {
  for (const [name, value] of Object.entries(environment))
    if (/^AWS_ENDPOINT_URL(_|$)/.test(name) && value !== undefined && value !== '' && !isLoopbackUrl(value))
      throw new Failure(
        `${name} is ${value}, which is not on this machine: a local verb sends nothing elsewhere. Unset it.`,
      );
  for (const name of Object.keys(environment)) if (name.startsWith('AWS_')) delete environment[name];
  environment.AWS_ACCESS_KEY_ID = 'test';
  environment.AWS_SECRET_ACCESS_KEY = 'test';
  environment.AWS_REGION = 'us-east-1';
  environment.AWS_EC2_METADATA_DISABLED = 'true';
  environment.AWS_CONFIG_FILE = devNull;
  environment.AWS_SHARED_CREDENTIALS_FILE = devNull;
}

/** Whether a URL leads to this machine. */
export function isLoopbackUrl(text: string): boolean {
  const host = URL.canParse(text) ? new URL(text).hostname : '';
  return /^(localhost|[a-z0-9.-]+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/i.test(host);
}
