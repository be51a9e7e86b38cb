import { isRegionName } from './arguments.ts';
import { enterLocal, isLoopbackUrl } from './environment.ts';
import { UsageError } from './errors.ts';

/** The flags that say where. */
export interface PlaceFlags {
  readonly endpoint?: string | undefined;
  readonly profile?: string | undefined;
  readonly region?: string | undefined;
}

/** Where a command works that may work in an account. */
export interface Place {
  /** As it is called in what the command says. */
  readonly name: string;
  readonly endpoint: string | undefined;
  /** Seconds. */
  readonly poll: number;
}

/**
 * Where to work: on this machine, unless a profile names an account. The environment that is left is that of the handler
 * and of every client.
 *
 * @throws {UsageError} when the flags, or they and the environment, lead to two places, or away from this machine without
 *   a profile
 * @example
 * ```ts
 * enterPlace({ endpoint: 'http://127.0.0.1:4566' }, process.env).poll; // 2
 * ```
 */
export function enterPlace(flags: PlaceFlags, environment: NodeJS.ProcessEnv): Place {
  const { profile, region } = flags;
  if (region !== undefined && !isRegionName(region))
    throw new UsageError(`--region is "${region}"; it must be the name of a region, as eu-west-1.`);
  if (profile !== undefined) {
    // An empty name would open the default profile: whoever wrote "$PROFILE" meant another.
    if (profile.trim() === '') throw new UsageError('--profile is empty; it must be the name of a profile.');
    const other =
      flags.endpoint === undefined
        ? Object.keys(environment).find((name) => /^AWS_ENDPOINT_URL(_|$)/.test(name) && environment[name])
        : '--endpoint';
    if (other !== undefined)
      throw new UsageError(`${other} leads elsewhere than --profile: leave one of them out.`);
    // Keys of the environment may belong to another account than the profile that was named.
    for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN'])
      delete environment[name];
    environment.AWS_PROFILE = profile;
    if (region !== undefined) environment.AWS_REGION = region;
    return { name: `in the account of profile ${profile}`, endpoint: undefined, poll: 20 };
  }
  const endpoint = flags.endpoint ?? (environment.AWS_ENDPOINT_URL || 'http://127.0.0.1:4566');
  const said = flags.endpoint === undefined ? 'AWS_ENDPOINT_URL' : '--endpoint';
  if (!URL.canParse(endpoint) || !/^https?:$/.test(new URL(endpoint).protocol))
    throw new UsageError(`${said} is "${endpoint}"; it must be a URL, as http://127.0.0.1:4566.`);
  if (!isLoopbackUrl(endpoint))
    throw new UsageError(
      `${said} is ${endpoint}, which is not on this machine: only --profile makes this command work in an account.`,
    );
  // The region of the environment belongs to the endpoint as the one who deployed there had it.
  const regionOfDeploy = region ?? (environment.AWS_REGION || environment.AWS_DEFAULT_REGION);
  enterLocal(environment);
  environment.AWS_ENDPOINT_URL = endpoint;
  if (regionOfDeploy) environment.AWS_REGION = regionOfDeploy;
  // Polls cost nothing here, and the shorter they are the sooner Ctrl-C is obeyed.
  return { name: `at ${endpoint}`, endpoint, poll: 2 };
}
