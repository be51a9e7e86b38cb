import { describe, expect, it } from 'vitest';
import type { AuthorityRequest } from '../../../local/iam/index.ts';
import { ServiceError } from '../../../local/service.ts';
import { account, allow, deny, document, queue, region, resourcePolicy, roleArn, world } from './support.ts';

const send: AuthorityRequest = { action: 'sqs:SendMessage', resource: queue };
const asRole = (name = 'worker', session = 'worker') => ({ principal: { role: roleArn(name), session } });

const thrownBy = (act: () => void): ServiceError => {
  try {
    act();
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
};

describe('a call of a role is judged by the policies of the role', () => {
  it('is refused when no statement speaks of it, and allowed when one allows it', () => {
    const { authority, addRole } = world();
    const role = addRole('worker');
    expect(authority.decide(asRole(), send)).toBe('none');
    role.policies.set('own', document(allow('sqs:SendMessage', queue)));
    expect(authority.decide(asRole(), send)).toBe('allow');
    expect(authority.decide(asRole(), { ...send, resource: `${queue}-2` })).toBe('none');
    expect(authority.decide(asRole(), { ...send, action: 'sqs:ReceiveMessage' })).toBe('none');
  });

  it.each([
    ['a star', allow('*'), 'allow'],
    ['a pattern of actions in any case', allow('SQS:send*', queue), 'allow'],
    ['a pattern of resources', allow('sqs:SendMessage', `arn:aws:sqs:*:${account}:ord?rs`), 'allow'],
    [
      'NotAction that leaves it out',
      allow('*', '*', { Action: undefined, NotAction: 'sqs:SendMessage' }),
      'none',
    ],
    ['NotAction of something else', allow('*', '*', { Action: undefined, NotAction: ['sns:*'] }), 'allow'],
    [
      'NotResource that leaves it out',
      allow('sqs:*', '*', { Resource: undefined, NotResource: queue }),
      'none',
    ],
    [
      'NotResource of something else',
      allow('sqs:*', '*', { Resource: undefined, NotResource: `${queue}-2` }),
      'allow',
    ],
    ['a longer resource', allow('sqs:*', `${queue}/*`), 'none'],
  ])('reads %s', (_, statement, verdict) => {
    const { authority, addRole } = world();
    addRole('worker', statement);
    expect(authority.decide(asRole(), send)).toBe(verdict);
  });

  it('lets a denial win, wherever it stands', () => {
    for (const statements of [
      [allow('*'), deny('sqs:SendMessage')],
      [deny('sqs:SendMessage'), allow('*')],
    ]) {
      const { authority, addRole } = world();
      addRole('worker', ...statements);
      expect(authority.decide(asRole(), send)).toBe('deny');
      expect(authority.decide(asRole(), { ...send, action: 'sqs:ReceiveMessage' })).toBe('allow');
    }
  });

  it('follows policies with an ARN of their own, and those that AWS keeps', () => {
    const { authority, addRole, store } = world();
    const arn = `arn:aws:iam::${account}:policy/senders`;
    const role = addRole('worker');
    role.managedPolicyArns.add(arn);
    expect(authority.decide(asRole(), send)).toBe('none');
    store.addManagedPolicy({ name: 'senders', arn, document: document(allow('sqs:SendMessage')) });
    expect(authority.decide(asRole(), send)).toBe('allow');
    role.managedPolicyArns.delete(arn);
    expect(authority.decide(asRole(), send)).toBe('none');

    const receive = { ...send, action: 'sqs:ReceiveMessage' };
    role.managedPolicyArns.add('arn:aws:iam::aws:policy/service-role/AWSLambdaSQSQueueExecutionRole');
    expect(authority.decide(asRole(), receive)).toBe('allow');
    expect(authority.decide(asRole(), send)).toBe('none');
  });

  it('lets a policy of AWS that the model does not have allow nothing', () => {
    const { authority, addRole } = world();
    addRole('worker').managedPolicyArns.add('arn:aws:iam::aws:policy/AmazonEverything');
    expect(authority.decide(asRole(), send)).toBe('none');
  });

  it('allows no more than the permissions boundary', () => {
    const { authority, addRole, store } = world();
    const arn = `arn:aws:iam::${account}:policy/boundary`;
    store.addManagedPolicy({ name: 'boundary', arn, document: document(allow('sns:*')) });
    const role = addRole('worker', allow('*'));
    store.addRole({ ...role, permissionsBoundary: arn });
    expect(authority.decide(asRole(), send)).toBe('none');
    expect(thrownBy(() => authority.demand(asRole(), send)).message).toMatch(
      /because no permissions boundary allows the sqs:sendmessage action$/,
    );
    store.addManagedPolicy({ name: 'boundary', arn, document: document(allow('sqs:*')) });
    expect(authority.decide(asRole(), send)).toBe('allow');
    store.addManagedPolicy({ name: 'boundary', arn, document: document(allow('*'), deny('sqs:*')) });
    expect(authority.decide(asRole(), send)).toBe('deny');
  });

  it('and no boundary bounds what a resource allows to the session by its own name, but a denial does', () => {
    const { authority, addRole, store } = world();
    const arn = `arn:aws:iam::${account}:policy/boundary`;
    store.addManagedPolicy({ name: 'boundary', arn, document: document(allow('sns:*')) });
    store.addRole({ ...addRole('worker'), permissionsBoundary: arn });
    const call = { principal: { role: roleArn('worker'), session: 'me' } };
    const letting = (AWS: string) => ({
      ...send,
      resourcePolicy: resourcePolicy(allow('sqs:SendMessage', queue, { Principal: { AWS } })),
    });
    const session = `arn:aws:sts::${account}:assumed-role/worker/me`;
    expect(authority.decide(call, letting(roleArn('worker')))).toBe('none');
    expect(authority.decide(call, letting(session))).toBe('allow');
    expect(authority.decide({ principal: { ...call.principal, session: 'you' } }, letting(session))).toBe(
      'none',
    );
    store.addManagedPolicy({ name: 'boundary', arn, document: document(deny('sqs:*')) });
    expect(authority.decide(call, letting(session))).toBe('deny');
  });
});

describe('whoever is no role of the account', () => {
  it('is the administrator without a principal', () => {
    const { authority } = world();
    expect(authority.decide({}, send)).toBe('allow');
    expect(() => authority.demand({}, send)).not.toThrow();
  });

  it('is the administrator under a role that never was there, and nobody under one that is gone', () => {
    const { authority, addRole, store } = world();
    expect(authority.decide(asRole(), send)).toBe('allow');
    addRole('worker', allow('*'));
    store.removeRole('worker');
    expect(authority.decide(asRole(), send)).toBe('none');
  });

  it('is judged by the resource alone as a service', () => {
    const { authority } = world();
    const call = { principal: { service: 'sns.amazonaws.com', sourceAccount: account } };
    const policy = resourcePolicy(
      allow('sqs:SendMessage', queue, { Principal: { Service: 'sns.amazonaws.com' } }),
    );
    expect(authority.decide(call, send)).toBe('none');
    expect(authority.decide(call, { ...send, resourcePolicy: policy })).toBe('allow');
  });
});

describe('the policy of the resource', () => {
  const named = (AWS: unknown, more: object = {}) =>
    resourcePolicy(allow('sqs:SendMessage', queue, { Principal: { AWS }, ...more }));

  it('allows a role of its account that has no right of its own', () => {
    const { authority, addRole } = world();
    addRole('worker');
    for (const AWS of [roleArn('worker'), '*', `arn:aws:sts::${account}:assumed-role/worker/worker`])
      expect(authority.decide(asRole(), { ...send, resourcePolicy: named(AWS) })).toBe('allow');
    expect(authority.decide(asRole(), { ...send, resourcePolicy: named(roleArn('other')) })).toBe('none');
  });

  it('leaves it to the role’s own policies when it names the account', () => {
    const { authority, addRole } = world();
    const role = addRole('worker');
    const request = { ...send, resourcePolicy: named(account) };
    expect(authority.decide(asRole(), request)).toBe('none');
    role.policies.set('own', document(allow('sqs:*')));
    expect(authority.decide(asRole(), request)).toBe('allow');
  });

  it('denies what the role’s own policies allow', () => {
    const { authority, addRole } = world();
    addRole('worker', allow('*'));
    const policy = resourcePolicy(deny('sqs:*', queue, { Principal: '*' }));
    const error = thrownBy(() => authority.demand(asRole(), { ...send, resourcePolicy: policy }));
    expect(error.message).toMatch(/orders with an explicit deny in a resource-based policy$/);
  });

  it('has to allow roles of another account', () => {
    const { authority } = world();
    const call = { principal: { role: roleArn('publisher', '999999999999'), session: 's' } };
    expect(authority.decide(call, send)).toBe('none');
    expect(authority.decide(call, { ...send, resourcePolicy: named('999999999999') })).toBe('allow');
    expect(authority.decide(call, { ...send, resourcePolicy: named(account) })).toBe('none');
  });

  it('has to allow as well as the role’s own, when the resource is another account’s', () => {
    const { authority, addRole } = world();
    const foreign = { action: 'sqs:SendMessage', resource: queue.replace(account, '999999999999') };
    const role = addRole('worker', allow('sqs:*'));
    const policy = resourcePolicy(allow('sqs:*', '*', { Principal: { AWS: roleArn('worker') } }));
    expect(authority.decide(asRole(), foreign)).toBe('none');
    expect(authority.decide(asRole(), { ...foreign, resourcePolicy: policy })).toBe('allow');
    role.policies.clear();
    expect(authority.decide(asRole(), { ...foreign, resourcePolicy: policy })).toBe('none');
  });

  it('has to allow where nobody is let without it, as at a key', () => {
    const { authority, addRole } = world();
    const key = `arn:aws:kms:${region}:${account}:key/1`;
    const decrypt = { action: 'kms:Decrypt', resource: key, policyRequired: true };
    const role = addRole('worker', allow('kms:*'));
    const to = (AWS: string) => resourcePolicy(allow('kms:*', '*', { Principal: { AWS } }));
    expect(authority.decide(asRole(), decrypt)).toBe('none');
    expect(authority.decide(asRole(), { ...decrypt, resourcePolicy: to(account) })).toBe('allow');
    role.policies.clear();
    expect(authority.decide(asRole(), { ...decrypt, resourcePolicy: to(account) })).toBe('none');
    expect(authority.decide(asRole(), { ...decrypt, resourcePolicy: to(roleArn('worker')) })).toBe('allow');
  });
});

describe('conditions', () => {
  const verdict = (condition: object, request: Partial<AuthorityRequest> = {}, effect = allow) => {
    const { authority, addRole } = world(Date.parse('2026-03-01T12:00:00Z'));
    addRole('worker', ...(effect === deny ? [allow('*')] : []), effect('*', '*', { Condition: condition }));
    return authority.decide(asRole(), { ...send, ...request });
  };

  it.each([
    [{ Bool: { 'aws:SecureTransport': 'true' } }, true],
    [{ Bool: { 'aws:SecureTransport': 'false' } }, false],
    [{ StringEquals: { 'aws:PrincipalArn': roleArn('worker') } }, true],
    [{ ArnLike: { 'aws:PrincipalArn': roleArn('other*') } }, false],
    [{ StringEquals: { 'aws:PrincipalAccount': account } }, true],
    [{ StringEquals: { 'aws:ResourceAccount': account } }, true],
    [{ StringEquals: { 'aws:RequestedRegion': ['eu-west-1', region] } }, true],
    [{ StringLike: { 'aws:userid': '*:worker' } }, true],
    [{ StringEquals: { 'aws:SourceAccount': account } }, false],
    [{ DateGreaterThan: { 'aws:CurrentTime': '2026-03-01T11:00:00Z' } }, true],
    [{ DateLessThan: { 'aws:CurrentTime': '2026-03-01T11:00:00Z' } }, false],
    [{ NumericGreaterThan: { 'aws:EpochTime': '1772362800' } }, true],
    [{ Null: { 'aws:SourceArn': 'true' } }, true],
  ])('%j holds: %s', (condition, holds) => {
    expect(verdict(condition)).toBe(holds ? 'allow' : 'none');
  });

  it('compares each of several values, or one of them', () => {
    const conditions = (...keys: string[]) => ({ conditions: { 'dynamodb:LeadingKeys': keys } });
    const all = { 'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': ['a', 'b'] } };
    expect(verdict(all, conditions('a', 'b'))).toBe('allow');
    expect(verdict(all, conditions('a', 'c'))).toBe('none');
    expect(verdict(all, conditions())).toBe('allow');
    const any = { 'ForAnyValue:StringLike': { 'dynamodb:LeadingKeys': ['a*'] } };
    expect(verdict(any, conditions('x', 'ab'))).toBe('allow');
    expect(verdict(any, conditions('x'))).toBe('none');
    expect(verdict(any, conditions())).toBe('none');
  });

  it.each([
    ['an operator', { IpAddress: { 'aws:SourceIp': '10.0.0.0/8' } }],
    ['a key', { StringNotEquals: { 'aws:PrincipalTag/team': 'red' } }],
    ['a key that may be absent', { StringEqualsIfExists: { 'aws:MultiFactorAuthPresent': 'true' } }],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of a policy
    ['a variable', { StringLike: { 'aws:userid': '${aws:PrincipalTag/team}' } }],
  ])('never allow, and never keep from denying, by %s that the model does not have', (_, condition) => {
    expect(verdict(condition)).toBe('none');
    expect(verdict(condition, {}, deny)).toBe('deny');
  });
});

describe('a variable in a resource', () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of a policy
  const open = `arn:aws:sqs:*:*:${'${aws:PrincipalTag/team}'}`;

  it.each([
    ['Resource', { Resource: open }],
    ['NotResource', { Resource: undefined, NotResource: open }],
  ])('that the model does not have never allows in %s, and always denies', (_, part) => {
    const { authority, addRole } = world();
    const role = addRole('worker', allow('*', '*', part));
    expect(authority.decide(asRole(), send)).toBe('none');
    role.policies.set('own', document(allow('*'), deny('*', '*', part)));
    expect(authority.decide(asRole(), send)).toBe('deny');
  });
});

describe('a refusal is said in the words of the service', () => {
  it.each([
    ['sqs:SendMessage', queue, 'AccessDenied', 403, 'sqs:sendmessage'],
    ['sns:Publish', `arn:aws:sns:${region}:${account}:t`, 'AuthorizationErrorException', 403, 'SNS:Publish'],
    ['dynamodb:PutItem', `arn:aws:dynamodb:${region}:${account}:table/t`, 'AccessDeniedException', 400, ''],
    [
      'lambda:InvokeFunction',
      `arn:aws:lambda:${region}:${account}:function:f`,
      'AccessDeniedException',
      403,
      '',
    ],
    ['kms:Decrypt', `arn:aws:kms:${region}:${account}:key/k`, 'AccessDeniedException', 400, ''],
    ['cloudwatch:PutMetricData', '*', 'AccessDenied', 403, ''],
  ])('%s', (action, resource, name, statusCode, written) => {
    const { authority, addRole } = world();
    addRole('worker');
    const error = thrownBy(() => authority.demand(asRole('worker', 'orders-payments'), { action, resource }));
    expect(error).toMatchObject({ name, statusCode });
    const shown = written === '' ? action : written;
    expect(error.message).toBe(
      `User: arn:aws:sts::${account}:assumed-role/worker/orders-payments is not authorized to perform: ${shown} ` +
        `on resource: ${resource} because no identity-based policy allows the ${shown} action`,
    );
  });
});

describe('what was decided is kept until something changes', () => {
  it('holds after each kind of change no longer', () => {
    const { authority, addRole, store } = world();
    const role = addRole('worker');
    const verdict = () => authority.decide(asRole(), send);
    expect(verdict()).toBe('none');
    role.policies.set('own', document(allow('sqs:*')));
    expect(verdict()).toBe('allow');
    role.policies.set('other', document(deny('sqs:*')));
    expect(verdict()).toBe('deny');
    role.policies.delete('other');
    expect(verdict()).toBe('allow');
    role.policies.clear();
    expect(verdict()).toBe('none');
    store.addRole({ ...role, policies: new Map([['own', document(allow('*'))]]) });
    expect(verdict()).toBe('allow');
    store.removeRole('worker');
    expect(verdict()).toBe('none');
  });

  it('is not taken for another policy of the resource, or other conditions', () => {
    const { authority, addRole } = world();
    addRole('worker', allow('sqs:*', '*', { Condition: { StringEquals: { 'aws:SourceAccount': account } } }));
    const open = resourcePolicy(allow('sqs:*', '*', { Principal: '*' }));
    expect(authority.decide(asRole(), send)).toBe('none');
    expect(authority.decide(asRole(), { ...send, resourcePolicy: open })).toBe('allow');
    expect(authority.decide(asRole(), send)).toBe('none');
    const conditions = { 'aws:SourceAccount': account };
    expect(authority.decide(asRole(), { ...send, conditions })).toBe('allow');
    expect(authority.decide(asRole(), { ...send, conditions: () => conditions })).toBe('allow');
    expect(authority.decide(asRole(), send)).toBe('none');
  });
});
