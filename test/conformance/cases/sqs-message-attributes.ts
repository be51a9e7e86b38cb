import { group } from '../case.ts';
import { equal } from './kit/equal.ts';
import { api, guide, recorded, sqsCase } from './kit/sources.ts';

const text = (StringValue: string) => ({ DataType: 'String', StringValue });

const three = { 'Help.Me': text('Me'), Hello: text('There'), General: text('Kenobi') };

/** Attributes that are refused: the name or type of each, and why. */
const wrongNames: readonly (readonly [name: string, what: string])[] = [
  ['aWs.x', 'beginning with AWS.'],
  ['AMAZON.x', 'beginning with Amazon.'],
  ['.x', 'beginning with a dot'],
  ['x.', 'ending with a dot'],
  ['a!b', 'with an exclamation mark'],
  ['a"b', 'with a quote'],
  ['a§b', 'with a paragraph sign'],
  ['a b', 'with a blank'],
  ['n'.repeat(257), 'of 257 characters'],
];

export const sqsMessageAttributes = group(
  'sqs-message-attributes',
  'Message attributes',
  ['sqs'],
  [
    sqsCase(
      'come-back-with-their-digest',
      'Attributes come back as they were sent, with the digest that the send answered.',
      guide('Calculating the MD5 message digest for message attributes', 'both answers carry the digest'),
      async ({ queue, send, receiveOne }) => {
        const url = await queue();
        const sent = await send(url, 'm', { MessageAttributes: three });
        equal(sent.MD5OfMessageAttributes, '4c360f3fdafd970e05fae2f149d997f5');
        const got = await receiveOne(url);
        equal(got.MD5OfMessageAttributes, sent.MD5OfMessageAttributes);
        equal(got.MessageAttributes?.General?.StringValue, 'Kenobi');
        equal(Object.keys(got.MessageAttributes ?? {}).length, 3);
      },
    ),
    sqsCase(
      'binary',
      'A binary attribute comes back byte for byte.',
      guide('Amazon SQS message metadata', 'binary attributes hold any binary data'),
      async ({ queue, send, receiveOne }) => {
        const url = await queue();
        const BinaryValue = Uint8Array.of(0, 30, 127, 128, 255);
        const sent = await send(url, 'm', { MessageAttributes: { b: { DataType: 'Binary', BinaryValue } } });
        const got = await receiveOne(url);
        equal(`${got.MessageAttributes?.b?.BinaryValue}`, '0,30,127,128,255');
        equal(got.MD5OfMessageAttributes, sent.MD5OfMessageAttributes);
      },
    ),
    sqsCase(
      'custom-types',
      'A type may have a label of its own behind its name.',
      guide('Amazon SQS message metadata', 'custom labels are written as Number.int or Binary.gif'),
      async ({ queue, send, receiveOne }) => {
        const url = await queue();
        const MessageAttributes = {
          amount: { DataType: 'Number.cent', StringValue: '42' },
          unit: { DataType: 'String.currency', StringValue: 'EUR' },
        };
        await send(url, 'm', { MessageAttributes });
        const { MessageAttributes: got = {} } = await receiveOne(url);
        equal(`${got.amount?.DataType} ${got.unit?.DataType}`, 'Number.cent String.currency');
      },
    ),
    sqsCase(
      'kept-over-receives',
      'A message keeps its attributes from receive to receive.',
      recorded('a second receive shows the same attributes'),
      async ({ queue, send, receiveOne }) => {
        const url = await queue({ VisibilityTimeout: '0' });
        await send(url, 'm', { MessageAttributes: three });
        for (let time = 1; time <= 2; time++)
          equal((await receiveOne(url)).MessageAttributes?.Hello?.StringValue, 'There');
      },
    ),
    sqsCase(
      'not-shown-unless-asked-for',
      'A receive that asks for no attributes shows none.',
      api('ReceiveMessage', 'attributes are returned for the names that were given'),
      async ({ queue, send, receive }) => {
        const url = await queue();
        await send(url, 'm', { MessageAttributes: three });
        const [got] = await receive(url);
        equal(got?.MessageAttributes, undefined);
        equal(got?.MD5OfMessageAttributes, undefined);
        equal(got?.Attributes, undefined);
      },
    ),
    ...(['All', '.*', '*'] as const).map((wildcard) =>
      sqsCase(
        `all-by-${{ All: 'word', '.*': 'dot-asterisk', '*': 'asterisk' }[wildcard]}`,
        `${wildcard} stands for all attributes.`,
        wildcard === '*'
          ? recorded('* gives all of them', 'the API reference names All and .* only')
          : api('ReceiveMessage', 'All or .* returns all of the attributes'),
        async ({ queue, send, receive }) => {
          const url = await queue();
          await send(url, 'm', { MessageAttributes: three });
          const [got] = await receive(url, { MessageAttributeNames: [wildcard] });
          equal(
            Object.keys(got?.MessageAttributes ?? {})
              .sort()
              .join(),
            'General,Hello,Help.Me',
          );
        },
      ),
    ),
    sqsCase(
      'by-name-and-prefix',
      'Attributes can be asked for by name, or by the beginning of their names with .* behind it.',
      api('ReceiveMessage', 'all attributes that start with a prefix are returned for prefix.*'),
      async ({ queue, send, receive }) => {
        const url = await queue({ VisibilityTimeout: '0' });
        await send(url, 'm', { MessageAttributes: three });
        const shown = async (...MessageAttributeNames: string[]) => {
          const [got] = await receive(url, { MessageAttributeNames });
          return Object.keys(got?.MessageAttributes ?? {})
            .sort()
            .join();
        };
        equal(await shown('Hello', 'General'), 'General,Hello');
        equal(await shown('Foo', 'Hello'), 'Hello', 'A name that is not there beside one that is.');
        equal(await shown('Hel.*'), 'Hello,Help.Me', 'A prefix.');
      },
    ),
    sqsCase(
      'digest-of-what-is-shown',
      'The digest on a receive covers the attributes that are shown.',
      recorded('Hello alone of three has another digest than all of them'),
      async ({ queue, send, receive }) => {
        const url = await queue();
        await send(url, 'm', { MessageAttributes: three });
        const [got] = await receive(url, { MessageAttributeNames: ['Hello'] });
        equal(got?.MD5OfMessageAttributes, 'a311262e065454b75da111d535b8dacd');
      },
    ),
    sqsCase(
      'names-that-nothing-has',
      'Asking for names that no attribute has, or may have, shows none and is no error.',
      recorded('Foo, Help, AWS. and ..foo gave the message without attributes'),
      async ({ queue, send, receive }) => {
        const url = await queue({ VisibilityTimeout: '0' });
        await send(url, 'm', { MessageAttributes: three });
        for (const name of ['Foo', 'Help', 'AWS.', '..foo']) {
          const [got] = await receive(url, { MessageAttributeNames: [name] });
          equal(got?.Body, 'm', `Asked for ${name}.`);
          equal(got?.MessageAttributes, undefined, `Asked for ${name}.`);
        }
      },
    ),
    sqsCase(
      'ten-of-them',
      'A message has at most ten attributes.',
      guide('Amazon SQS message metadata', 'each message can have up to 10 attributes'),
      async ({ queue, send, refused }) => {
        const url = await queue();
        const many = (count: number) =>
          Object.fromEntries(Array.from({ length: count }, (_, index) => [`a${index}`, text('x')]));
        await send(url, 'm', { MessageAttributes: many(10) });
        const call = send(url, 'm', { MessageAttributes: many(11) });
        await refused('An eleventh attribute', 'InvalidParameterValue', call);
      },
    ),
    sqsCase(
      'names-that-are-taken',
      'A name has up to 256 letters, digits, hyphens, underscores and dots.',
      guide(
        'Amazon SQS message metadata',
        'A-Z, a-z, 0-9, underscore, hyphen and period',
        'AWS was seen to take letters of other alphabets too; the model does as well',
      ),
      async ({ queue, send, receiveOne }) => {
        const url = await queue();
        const names = ['a_b-c.9', 'attr.1øßä', 'n'.repeat(256)];
        const MessageAttributes = Object.fromEntries(names.map((name) => [name, text('x')]));
        await send(url, 'm', { MessageAttributes });
        equal(Object.keys((await receiveOne(url)).MessageAttributes ?? {}).length, 3);
      },
    ),
    sqsCase(
      'names-that-are-refused',
      'Names with other signs, with the beginnings of AWS, or too long are refused.',
      guide(
        'Amazon SQS message metadata',
        'no AWS. or Amazon. in front, no period at the ends, 256 characters',
      ),
      async ({ queue, send, refused }) => {
        const url = await queue();
        for (const [name, what] of wrongNames)
          await refused(
            `A name ${what}`,
            'InvalidParameterValue',
            send(url, 'm', { MessageAttributes: { [name]: text('x') } }),
          );
      },
    ),
    sqsCase(
      'types-that-are-refused',
      'A type is String, Number or Binary, with a label or without.',
      guide('Amazon SQS message metadata', 'the types are String, Number and Binary'),
      async ({ queue, send, refused }) => {
        const url = await queue();
        for (const DataType of ['Invalid', '', 'string', `Number.${'L'.repeat(256)}`])
          await refused(
            `The type "${DataType.slice(0, 12)}"`,
            'InvalidParameterValue',
            send(url, 'm', { MessageAttributes: { a: { DataType, StringValue: '1' } } }),
          );
      },
    ),
    sqsCase(
      'empty-values',
      'An empty value is refused, of each type.',
      guide('Amazon SQS message metadata', 'name, type and value must not be empty or null'),
      async ({ queue, send, refused }) => {
        const url = await queue();
        for (const [what, value] of [
          ['text', text('')],
          ['number', { DataType: 'Number', StringValue: '' }],
          ['binary value', { DataType: 'Binary', BinaryValue: new Uint8Array() }],
          ['value at all', { DataType: 'String' }],
        ] as const)
          await refused(
            `No ${what}`,
            'InvalidParameterValue',
            send(url, 'm', { MessageAttributes: { a: value } }),
          );
      },
    ),
    sqsCase(
      'numbers',
      'The value of a Number is a number.',
      guide('Amazon SQS message metadata', 'positive or negative integers or floating-point numbers'),
      async ({ queue, send, refused }) => {
        const url = await queue();
        for (const StringValue of ['-1', '3.14', '1e10'])
          await send(url, 'm', { MessageAttributes: { a: { DataType: 'Number', StringValue } } });
        const wrong = { a: { DataType: 'Number', StringValue: 'twelve' } };
        await refused('twelve', 'InvalidParameterValue', send(url, 'm', { MessageAttributes: wrong }));
      },
    ),
    sqsCase(
      'characters-of-values',
      'A text with a character that XML does not have is refused as a value.',
      recorded('InvalidParameterValue for the characters 8 and 11'),
      async ({ queue, send, refused }) => {
        const call = send(await queue(), 'm', { MessageAttributes: { a: text('Invalid-\u0008,\u000b') } });
        await refused('A control character', 'InvalidParameterValue', call);
      },
    ),
  ],
);
