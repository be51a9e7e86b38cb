import { describe, expect, it } from 'vitest';
import { createAws } from '../../../local/index.ts';

describe('who asks for drift is told what there is instead', () => {
  const aws = createAws();

  it.each(['DetectStackDrift', 'DetectStackResourceDrift'])('%s', async (action) => {
    const asked = async () => aws.call('cloudformation', action, { StackName: 'Orders' });
    await expect(asked()).rejects.toMatchObject({
      name: 'UnknownOperationException',
      message: `The model of AWS knows no action "${action}" of cloudformation: it detects no drift. To compare the deployed template with that of the app, run npx cdk diff.`,
    });
  });

  it('any other action that is not there, be it a property of every object, is answered by the list', async () => {
    for (const action of ['DetectStackSetDrift', 'toString'])
      await expect(async () => aws.call('cloudformation', action, {})).rejects.toThrow(
        `knows no action "${action}" of cloudformation. It knows: CancelUpdateStack, `,
      );
    aws.stop();
  });
});
