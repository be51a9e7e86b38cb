import {
  AddTagsToResourceCommand,
  DeleteParameterCommand,
  DeleteParametersCommand,
  DescribeParametersCommand,
  GetParameterCommand,
  GetParameterHistoryCommand,
  GetParametersByPathCommand,
  GetParametersCommand,
  ListTagsForResourceCommand,
  PutParameterCommand,
  RemoveTagsFromResourceCommand,
  SSMClient,
} from '@aws-sdk/client-ssm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Running, runAws } from '../http/running.ts';

let running: Running;
let ssm: SSMClient;

beforeAll(async () => {
  running = await runAws();
  ssm = new SSMClient(running.settings);
});

afterAll(() => running.stop());

const put = (Name: string, Value: string, more: object = {}) =>
  ssm.send(new PutParameterCommand({ Name, Value, Type: 'String', ...more }));
const textOf = async (Name: string, more: object = {}) =>
  (await ssm.send(new GetParameterCommand({ Name, ...more }))).Parameter?.Value;

describe('a parameter', () => {
  it('has its newest value, and each of its versions', async () => {
    const before = Date.now();
    expect(await put('/shop/limit', '1', { Description: 'so many' })).toMatchObject({
      Version: 1,
      Tier: 'Standard',
    });
    await expect(put('/shop/limit', '2')).rejects.toMatchObject({ name: 'ParameterAlreadyExists' });
    expect(await put('/shop/limit', '2', { Overwrite: true })).toMatchObject({ Version: 2 });
    const { Parameter } = await ssm.send(new GetParameterCommand({ Name: '/shop/limit' }));
    expect(Parameter).toMatchObject({
      Name: '/shop/limit',
      Type: 'String',
      Value: '2',
      Version: 2,
      DataType: 'text',
      ARN: 'arn:aws:ssm:us-east-1:000000000000:parameter/shop/limit',
    });
    expect(Parameter?.LastModifiedDate?.getTime()).toBeGreaterThanOrEqual(before - 1);
    expect(await textOf('/shop/limit:1')).toBe('1');
    expect(await textOf('arn:aws:ssm:us-east-1:000000000000:parameter/shop/limit')).toBe('2');
    await expect(textOf('/shop/limit:7')).rejects.toMatchObject({ name: 'ParameterVersionNotFound' });
    const { Parameters } = await ssm.send(new GetParameterHistoryCommand({ Name: '/shop/limit' }));
    expect(Parameters).toMatchObject([
      { Version: 1, Value: '1', Description: 'so many' },
      { Version: 2, Value: '2', Description: 'so many' },
    ]);
    await ssm.send(new DeleteParameterCommand({ Name: '/shop/limit' }));
    await expect(textOf('/shop/limit')).rejects.toMatchObject({ name: 'ParameterNotFound' });
    await expect(ssm.send(new DeleteParameterCommand({ Name: '/shop/limit' }))).rejects.toMatchObject({
      name: 'ParameterNotFound',
    });
  });

  it('that is secure is shown to who asks for it decrypted', async () => {
    await put('secret', 'sesame', { Type: 'SecureString' });
    expect(await textOf('secret')).not.toContain('sesame');
    expect(await textOf('secret', { WithDecryption: true })).toBe('sesame');
  });

  it.each([
    ['aws-thing', 'x', {}, 'ValidationException'],
    ['no spaces', 'x', {}, 'ValidationException'],
    ['shop/limit', 'x', {}, 'ValidationException'],
    [`/${Array.from({ length: 16 }, () => 'a').join('/')}`, 'x', {}, 'HierarchyLevelLimitExceededException'],
    ['/long', 'x'.repeat(4097), {}, 'ValidationException'],
    ['/pattern', 'x', { AllowedPattern: '\\d+' }, 'ParameterPatternMismatchException'],
    ['/type', 'x', { Type: 'Number' }, 'ValidationException'],
  ])('%s is refused', async (name, value, more, error) => {
    await expect(put(name, value, more)).rejects.toMatchObject({ name: error });
  });

  it('carries tags', async () => {
    await put('/tagged', 'x', { Tags: [{ Key: 'a', Value: '1' }] });
    const resource = { ResourceType: 'Parameter' as const, ResourceId: '/tagged' };
    await ssm.send(new AddTagsToResourceCommand({ ...resource, Tags: [{ Key: 'b', Value: '2' }] }));
    await ssm.send(new RemoveTagsFromResourceCommand({ ...resource, TagKeys: ['a'] }));
    const { TagList } = await ssm.send(new ListTagsForResourceCommand(resource));
    expect(TagList).toEqual([{ Key: 'b', Value: '2' }]);
  });
});

describe('many parameters', () => {
  it('are found by name, by path and by what they are', async () => {
    for (const name of ['/many/a', '/many/b', '/many/deep/c']) await put(name, name);
    const some = await ssm.send(new GetParametersCommand({ Names: ['/many/b', '/none', '/many/a'] }));
    expect(some.Parameters?.map(({ Value }) => Value)).toEqual(['/many/b', '/many/a']);
    expect(some.InvalidParameters).toEqual(['/none']);
    const names = async (more: object) =>
      (await ssm.send(new GetParametersByPathCommand({ Path: '/many', ...more }))).Parameters?.map(
        ({ Name }) => Name,
      );
    expect(await names({})).toEqual(['/many/a', '/many/b']);
    expect(await names({ Recursive: true })).toEqual(['/many/a', '/many/b', '/many/deep/c']);
    const first = await ssm.send(
      new GetParametersByPathCommand({ Path: '/many', Recursive: true, MaxResults: 2 }),
    );
    expect(await names({ Recursive: true, NextToken: first.NextToken })).toEqual(['/many/deep/c']);
    const described = await ssm.send(
      new DescribeParametersCommand({
        ParameterFilters: [{ Key: 'Name', Option: 'BeginsWith', Values: ['/many/'] }],
      }),
    );
    expect(described.Parameters).toHaveLength(3);
    expect(described.Parameters?.[0]).not.toHaveProperty('Value');
    await expect(
      ssm.send(new DescribeParametersCommand({ ParameterFilters: [{ Key: 'Colour', Values: ['x'] }] })),
    ).rejects.toMatchObject({ name: 'InvalidFilterKey' });
    const deleted = await ssm.send(new DeleteParametersCommand({ Names: ['/many/a', '/none'] }));
    expect(deleted).toMatchObject({ DeletedParameters: ['/many/a'], InvalidParameters: ['/none'] });
  });
});
