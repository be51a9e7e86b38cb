import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import type { ResourceProvider } from '../../../local/cloudformation/index.ts';
import { type NamedOperation, ServiceError } from '../../../local/service.ts';
import { prepareThings, things as template } from './things.ts';

const yaml = `
# A comment, which GetTemplate gives back.
AWSTemplateFormatVersion: 2010-09-09
Description: All short forms
Metadata: { Note: kept }
Parameters:
  Stage: { Type: String, Default: test, Description: where }
  Names: { Type: CommaDelimitedList, Default: "a, b" }
Mappings:
  Sizes: { test: { seconds: 5 } }
Conditions:
  IsTest: !Equals [!Ref Stage, test]
  IsNot: !Not [!Condition IsTest]
  Either: !Or [!Condition IsTest, !Condition IsNot]
  Both: !And [!Condition IsTest, !Condition Either]
Resources:
  A:
    Type: Test::Thing
    Properties:
      Label: A
      Value:
        sub: !Sub '\${Stage}/\${AWS::Region}/\${!Kept}'
        own: !Sub ['\${X}', { X: !Ref Stage }]
        join: !Join ['-', [a, !Ref Stage]]
        select: !Select [1, !Ref Names]
        split: !Select [1, !Split ['/', 'x/y']]
        map: !FindInMap [Sizes, !Ref Stage, seconds]
        if: !If [Both, yes it is, !Ref AWS::NoValue]
        gone: !If [IsNot, no, !Ref AWS::NoValue]
        base: !Base64 x
        zone: !Select [0, !GetAZs '']
        date: 2012-10-17
        time: 12:30
        flag: true
        number: 0.5
        long: !Join
          - ''
          - - !Ref Stage
            - '!'
  B:
    Type: Test::Thing
    Properties: { Label: B, To: !GetAtt A.Arn, Value: !Sub '\${A}:\${A.Arn}' }
Outputs:
  Out: { Value: !GetAtt [A, Arn], Export: { Name: !Sub '\${AWS::StackName}-out' } }
`;

describe('A template is read as it is written', () => {
  it('in YAML with every short form, and given back as it came', async () => {
    const { create, things, call } = prepareThings();
    await create(yaml);
    expect(things.get('A-1')?.Value).toEqual({
      sub: `test/us-east-1/\${Kept}`,
      own: 'test',
      join: 'a-test',
      select: 'b',
      split: 'y',
      map: 5,
      if: 'yes it is',
      base: 'eA==',
      zone: 'us-east-1a',
      date: '2012-10-17',
      time: '12:30',
      flag: true,
      number: 0.5,
      long: 'test!',
    });
    expect(things.get('B-2')).toEqual({ Label: 'B', To: 'arn:A-1', Value: 'A-1:arn:A-1' });
    for (const TemplateStage of ['Original', 'Processed'])
      expect(await call('GetTemplate', { StackName: 'Shop', TemplateStage })).toEqual({
        TemplateBody: yaml,
        StagesAvailable: ['Original', 'Processed'],
      });
    expect(await call('ListExports', {})).toMatchObject({
      Exports: [{ Name: 'Shop-out', Value: 'arn:A-1' }],
    });
  });

  it('and what is called Condition among the properties is a name like others', async () => {
    const { create, things: made, status } = prepareThings();
    await create(template({ A: { Value: { Condition: 'prod' } } }));
    expect([await status(), made.get('A-1')?.Value]).toEqual(['CREATE_COMPLETE', { Condition: 'prod' }]);
  });

  it('in JSON, and in what a change set has in mind', async () => {
    const { create, look, call } = prepareThings();
    const text = `${JSON.stringify(template({ A: {} }), undefined, 3)}\n`;
    await create(text);
    expect((await call('GetTemplate', { StackName: 'Shop' })).TemplateBody).toBe(text);
    const { ChangeSetId } = await look(yaml);
    const ofChange = { StackName: 'Shop', ChangeSetName: 'change' };
    expect((await call('GetTemplate', ofChange)).TemplateBody).toBe(yaml);
    expect((await call('GetTemplate', { ChangeSetName: ChangeSetId })).TemplateBody).toBe(yaml);
    expect((await look(text)).Status).toBe('FAILED');
  });

  it('and summed up', async () => {
    const { call } = prepareThings();
    expect(await call('GetTemplateSummary', { TemplateBody: yaml })).toMatchObject({
      Description: 'All short forms',
      Version: '2010-09-09',
      ResourceTypes: ['Test::Thing'],
      Metadata: '{"Note":"kept"}',
      Parameters: [
        {
          ParameterKey: 'Stage',
          ParameterType: 'String',
          DefaultValue: 'test',
          Description: 'where',
          NoEcho: false,
        },
        { ParameterKey: 'Names' },
      ],
    });
    const role = { Resources: { R: { Type: 'AWS::IAM::Role', Properties: { RoleName: 'mine' } } } };
    expect(await call('ValidateTemplate', { TemplateBody: JSON.stringify(role) })).toMatchObject({
      Capabilities: ['CAPABILITY_NAMED_IAM'],
      CapabilitiesReason: 'The following resource(s) require capabilities: [AWS::IAM::Role]',
      Parameters: [],
    });
  });

  it.each([
    ['{ "Resources": {\n "A": }', /JSON not well-formed. \(.*'}'/s],
    ['Resources:\n  A: [', /YAML not well-formed. \(line 2, column/],
    ['Resources: { A: { Type: B } }\nResources: {}', /YAML not well-formed. \(line 2, column 1\)/],
    ['- a', /unsupported structure/],
    ['{"Resources":{}}', /At least one Resources member must be defined/],
    ['{"Resources":{"A":{}}}', /\[\/Resources\/A\] Every Resources object must contain a Type member/],
  ])('or refused with what is wrong: %j', async (text, message) => {
    const { create, call } = prepareThings();
    for (const refused of [() => create(text), () => call('ValidateTemplate', { TemplateBody: text })])
      await expect(refused()).rejects.toMatchObject({
        name: 'ValidationError',
        message: expect.stringMatching(message),
      });
  });
});

describe('A template may lie in S3', () => {
  const text = JSON.stringify(template({ A: {} }));
  const files: Readonly<Record<string, string>> = {
    'assets/a/b.json': text,
    'assets/long': `${text}${' '.repeat(1_048_576)}`,
  };
  const objectOf = (bucket: string, key: string) => {
    const found = files[`${bucket}/${key}`];
    return found === undefined ? undefined : Buffer.from(found);
  };
  const byUrl = (shop: ReturnType<typeof prepareThings>, TemplateURL: string) =>
    shop.call('CreateStack', { StackName: 'Shop', TemplateURL });

  it.each([
    'http://127.0.0.1:4566/assets/a/b.json',
    'https://s3.us-east-1.amazonaws.com/assets/a/b.json',
    'https://assets.s3.us-east-1.amazonaws.com/a/b.json',
    'https://assets.s3.amazonaws.com/a%2Fb.json',
  ])('%s', async (url) => {
    const shop = prepareThings({ objectOf });
    await byUrl(shop, url);
    expect([...shop.things.keys()]).toEqual(['A-1']);
  });

  it.each([
    ['https://example.com/assets/a/b.json', /must be a supported URL/],
    ['assets/a/b.json', /must be a supported URL/],
    ['http://127.0.0.1:4566/assets', /must be a supported URL/],
    ['http://127.0.0.1:4566/assets/none', /The specified key does not exist/],
    ['http://127.0.0.1:4566/assets/long', /bytes long, at most 1048576/],
  ])('but not everything is one: %s', async (url, message) => {
    await expect(byUrl(prepareThings({ objectOf }), url)).rejects.toThrow(message);
  });

  it('which is read by the service when there is one', async () => {
    const GetObject = ({ Bucket, Key }: { Bucket?: string; Key?: string }) => {
      const Body = objectOf(Bucket ?? '', Key ?? '');
      if (Body === undefined) throw new ServiceError('NoSuchKey', 'The specified key does not exist.');
      return { Body };
    };
    const services = { s3: { operations: { GetObject: GetObject as NamedOperation } } };
    const shop = prepareThings({}, services);
    await expect(byUrl(shop, 'http://127.0.0.1:1/assets/none')).rejects.toThrow('key does not exist');
    await byUrl(shop, 'http://127.0.0.1:1/assets/a/b.json');
    expect(shop.things.size).toBe(1);
    await expect(byUrl(prepareThings(), 'http://127.0.0.1:1/assets/a/b.json')).rejects.toThrow('has no S3');
  });

  it('and has to when it is long', async () => {
    const { create } = prepareThings();
    await expect(create(`${text}${' '.repeat(51_200)}`)).rejects.toThrow(/at most 51200 are allowed/);
    await expect(create(text, { TemplateURL: 'http://127.0.0.1/a/b' })).rejects.toThrow('exactly one');
    const { call } = prepareThings();
    await expect(call('CreateStack', { StackName: 'Shop' })).rejects.toThrow('must be specified');
  });
});

describe('The bootstrap template of the CDK command', () => {
  const path = createRequire(import.meta.url).resolve('aws-cdk/lib/api/bootstrap/bootstrap-template.yaml');
  const text = readFileSync(path, 'utf8');
  /** Takes any property: what is tested is the template's own logic. */
  const anything: ResourceProvider = {
    properties: [],
    ignored: new Proxy({}, { getOwnPropertyDescriptor: () => ({ configurable: true, value: '' }) }),
    attributes: ['Arn', 'RegionalDomainName'],
    create: async (_properties, { logicalId }) => ({
      physicalId: logicalId,
      attributes: { Arn: `arn:${logicalId}`, RegionalDomainName: 'domain' },
    }),
    async delete() {},
  };
  const types = [...new Set(text.match(/AWS::\w+::\w+/g))];
  const providers = Object.fromEntries(types.map((type) => [type, anything]));

  it.each([
    [
      'with a key of its own',
      [],
      ['FileAssetsBucketEncryptionKey', 'FileAssetsBucketEncryptionKeyAlias'],
      /^arn:/,
    ],
    [
      'with the managed key',
      [{ ParameterKey: 'FileAssetsBucketKmsKeyId', ParameterValue: 'AWS_MANAGED_KEY' }],
      [],
      /^AWS_MANAGED_KEY$/,
    ],
  ])('is deployed, %s', async (_how, Parameters, keys, keyArn) => {
    const shop = prepareThings({ providers });
    await shop.create(text, { Capabilities: ['CAPABILITY_NAMED_IAM'], Parameters });
    const { StackStatus, Outputs = [] } = await shop.describe();
    expect(StackStatus).toBe('CREATE_COMPLETE');
    const found = Object.keys(await shop.ids());
    expect(found.filter((logicalId) => logicalId.includes('Key'))).toEqual(keys);
    expect(found).toContain('CdkBootstrapVersion');
    const output = (key: string) => Outputs.find(({ OutputKey }) => OutputKey === key)?.OutputValue;
    expect([output('BucketName'), output('FileAssetKeyArn')]).toEqual([
      'StagingBucket',
      expect.stringMatching(keyArn),
    ]);
  });
});
