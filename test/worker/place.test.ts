import { expect, test } from 'vitest';
import { enterPlace, type PlaceFlags } from '../../bin/place.ts';

const refused: readonly [what: string, flags: PlaceFlags, environment: NodeJS.ProcessEnv, message: RegExp][] =
  [
    [
      'two places',
      { endpoint: 'http://127.0.0.1:1', profile: 'p' },
      {},
      /--endpoint leads elsewhere than --/,
    ],
    [
      'two places, one in the environment',
      { profile: 'p' },
      { AWS_ENDPOINT_URL_SQS: 'http://127.0.0.1:1' },
      /AWS_ENDPOINT_URL_SQS leads elsewhere than --profile/,
    ],
    [
      'an endpoint elsewhere',
      { endpoint: 'http://10.0.0.1:4566' },
      {},
      /--endpoint is http.* only --profile/,
    ],
    [
      'an endpoint elsewhere, in the environment',
      {},
      { AWS_ENDPOINT_URL: 'http://10.0.0.1:4566' },
      /AWS_ENDPOINT_URL is http/,
    ],
    [
      'a service elsewhere, in the environment',
      { endpoint: 'http://127.0.0.1:4566' },
      { AWS_ENDPOINT_URL_SQS: 'https://sqs.eu-west-1.amazonaws.com' },
      /AWS_ENDPOINT_URL_SQS is https/,
    ],
    ['no region', { region: 'moon' }, {}, /--region is "moon"/],
    ['no profile', { profile: '' }, {}, /--profile is empty/],
    [
      'no URL',
      { endpoint: 'localhost:4566' },
      {},
      /--endpoint is "localhost:4566"; it must be a URL, as http:/,
    ],
    ['another protocol', { endpoint: 'ftp://127.0.0.1' }, {}, /it must be a URL, as http:/],
    ['no URL, in the environment', {}, { AWS_ENDPOINT_URL: '127.0.0.1' }, /AWS_ENDPOINT_URL is "127/],
  ];
test.each(refused)('sluice work goes nowhere with %s', (_, flags, environment, message) => {
  expect(() => enterPlace(flags, environment)).toThrow(message);
});

test('on this machine there are no keys but those that open nothing', () => {
  const environment: NodeJS.ProcessEnv = {
    AWS_PROFILE: 'mine',
    AWS_ACCESS_KEY_ID: 'real',
    AWS_SESSION_TOKEN: 'real',
  };
  expect(enterPlace({ region: 'eu-west-1' }, environment)).toMatchObject({
    endpoint: 'http://127.0.0.1:4566',
  });
  expect(environment).toMatchObject({
    AWS_ENDPOINT_URL: 'http://127.0.0.1:4566',
    AWS_ACCESS_KEY_ID: 'test',
    AWS_REGION: 'eu-west-1',
  });
  expect(Object.keys(environment)).not.toContain('AWS_PROFILE');
  expect(Object.keys(environment)).not.toContain('AWS_SESSION_TOKEN');
});

test('with a profile, keys of the environment are not taken for the profile’s', () => {
  const environment: NodeJS.ProcessEnv = { AWS_ACCESS_KEY_ID: 'other', AWS_SECRET_ACCESS_KEY: 'other' };
  expect(enterPlace({ profile: 'mine' }, environment)).toMatchObject({ endpoint: undefined, poll: 20 });
  expect(environment).toEqual({ AWS_PROFILE: 'mine' });
});

test('the region is that of the flag, else of the environment that the stack was deployed from', () => {
  const regionOf = (flags: PlaceFlags, environment: NodeJS.ProcessEnv) => {
    enterPlace(flags, environment);
    return environment.AWS_REGION;
  };
  expect(regionOf({ region: 'eusc-de-east-1' }, { AWS_REGION: 'eu-west-1' })).toBe('eusc-de-east-1');
  expect(regionOf({}, { AWS_REGION: 'eu-west-1' })).toBe('eu-west-1');
  expect(regionOf({}, { AWS_DEFAULT_REGION: 'eu-west-1' })).toBe('eu-west-1');
  expect(regionOf({}, {})).toBe('us-east-1');
});
