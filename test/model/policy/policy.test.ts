import { describe, expect, it } from 'vitest';
import { evaluatePolicy, PolicyError, parsePolicy } from '../../../local/policy.ts';
import type { Principal } from '../../../local/service.ts';

const QUEUE = 'arn:aws:sqs:us-east-1:000000000000:payments';
const TOPIC = 'arn:aws:sns:us-east-1:000000000000:orders';
const SNS: Principal = { service: 'sns.amazonaws.com', sourceArn: TOPIC, sourceAccount: '000000000000' };

const statement = (more: object = {}) => ({
  Effect: 'Allow',
  Principal: { Service: 'sns.amazonaws.com' },
  Action: 'sqs:SendMessage',
  Resource: QUEUE,
  ...more,
});

const verdict = (
  statements: object | readonly object[],
  request: {
    principal?: Principal;
    action?: string;
    resource?: string;
    conditions?: Record<string, string>;
  } = {},
) =>
  evaluatePolicy(parsePolicy(JSON.stringify({ Version: '2012-10-17', Statement: statements })), {
    principal: SNS,
    action: 'sqs:SendMessage',
    resource: QUEUE,
    ...request,
  });

describe('a resource policy allows what a statement allows and none denies', () => {
  it('says nothing about what no statement names', () => {
    expect(evaluatePolicy(undefined, { principal: SNS, action: 'sqs:SendMessage', resource: QUEUE })).toBe(
      'none',
    );
    expect(verdict([])).toBe('none');
    expect(verdict(statement(), { action: 'sqs:ReceiveMessage' })).toBe('none');
    expect(verdict(statement(), { resource: `${QUEUE}-other` })).toBe('none');
    expect(verdict(statement(), { principal: { service: 'events.amazonaws.com' } })).toBe('none');
  });

  it('lets a denial win wherever it stands', () => {
    const deny = statement({ Effect: 'Deny', Principal: '*', Action: '*' });
    expect(verdict([statement(), deny])).toBe('deny');
    expect(verdict([deny, statement()])).toBe('deny');
  });

  it.each([
    ['a list of services', { Principal: { Service: ['s3.amazonaws.com', 'sns.amazonaws.com'] } }],
    ['everybody', { Principal: '*' }],
    ['everybody, in the long form', { Principal: { AWS: '*' } }],
    ['all actions of a service, in any case', { Action: 'SQS:*' }],
    ['one of several actions', { Action: ['sqs:GetQueueUrl', 'sqs:SendMessage'] }],
    ['a pattern of resources', { Resource: 'arn:aws:sqs:*:*:pay?ents' }],
    ['anything but another resource', { Resource: undefined, NotResource: `${QUEUE}-other` }],
    ['anything but another action', { Action: undefined, NotAction: 'sqs:DeleteQueue' }],
  ])('reads %s', (_, more) => {
    expect(verdict(statement(more))).toBe('allow');
  });

  it('knows a role by its ARN, or by its account', () => {
    const principal = { role: 'arn:aws:iam::111111111111:role/publisher' };
    for (const AWS of [principal.role, '111111111111', 'arn:aws:iam::111111111111:root']) {
      expect(verdict(statement({ Principal: { AWS } }), { principal })).toBe('allow');
    }
    expect(verdict(statement({ Principal: { AWS: '222222222222' } }), { principal })).toBe('none');
    expect(verdict(statement({ Principal: { AWS: principal.role } }))).toBe('none');
  });
});

describe('conditions', () => {
  it.each([
    ['ArnEquals', { 'aws:SourceArn': TOPIC }, true],
    ['ArnEquals', { 'aws:SourceArn': 'arn:aws:sns:*:*:ord*' }, true],
    ['ArnLike', { 'AWS:SOURCEARN': [`${TOPIC}-other`, TOPIC] }, true],
    ['ArnLike', { 'aws:SourceArn': 'arn:aws:sns:*:orders' }, false],
    ['ArnNotLike', { 'aws:SourceArn': 'arn:aws:sns:*:*:ord*' }, false],
    ['StringEquals', { 'aws:SourceAccount': '000000000000' }, true],
    ['StringEquals', { 'aws:SourceAccount': '111111111111' }, false],
    ['StringEquals', { 'aws:SourceAccount': '000000000000', 'aws:SourceArn': 'x' }, false],
    ['StringNotEquals', { 'aws:SourceAccount': ['111111111111', '222222222222'] }, true],
    ['StringNotEquals', { 'aws:PrincipalOrgID': 'o-1' }, true],
    ['StringEquals', { 'aws:PrincipalOrgID': 'o-1' }, false],
    ['StringEqualsIfExists', { 'aws:PrincipalOrgID': 'o-1' }, true],
    ['StringEqualsIgnoreCase', { 'aws:SourceArn': TOPIC.toUpperCase() }, true],
    ['StringLike', { 'aws:SourceArn': 'arn:*:orders' }, true],
    ['Bool', { 'aws:SecureTransport': true }, true],
    ['Bool', { 'aws:SecureTransport': 'false' }, false],
    ['Null', { 'aws:SourceArn': 'false' }, true],
    ['Null', { 'aws:PrincipalOrgID': true }, true],
  ])('%s %j holds: %s', (operator, keys, holds) => {
    expect(verdict(statement({ Condition: { [operator]: keys } }))).toBe(holds ? 'allow' : 'none');
  });

  it('take further keys from the request', () => {
    const condition = {
      Condition: { NumericLessThanEquals: { 'x:age': '5' }, Bool: { 'aws:SecureTransport': 'false' } },
    };
    const conditions = { 'x:age': '5', 'aws:SecureTransport': 'false' };
    expect(verdict(statement(condition), { conditions })).toBe('allow');
    expect(verdict(statement(condition), { conditions: { ...conditions, 'x:age': '6' } })).toBe('none');
  });
});

describe('a policy that cannot be followed in full is refused', () => {
  it.each([
    ['text that is not JSON', '{', 'not valid JSON'],
    ['a list', '[]', 'not a JSON object'],
    ['an effect it does not know', { Effect: 'Maybe' }, 'must be "Allow" or "Deny"'],
    ['no action', { Action: undefined }, 'neither Action nor NotAction'],
    ['no principal', { Principal: undefined }, 'neither Principal nor NotPrincipal'],
    ['a principal it does not know', { Principal: { Robot: 'x' } }, 'unknown kind Robot'],
    [
      'a condition it does not know',
      { Condition: { IpAddress: { 'aws:SourceIp': '10.0.0.0/8' } } },
      'IpAddress',
    ],
  ])('for %s', (_, change, message) => {
    const text = typeof change === 'string' ? change : JSON.stringify({ Statement: [statement(change)] });
    expect(() => parsePolicy(text)).toThrow(PolicyError);
    expect(() => parsePolicy(text)).toThrow(message);
  });
});
