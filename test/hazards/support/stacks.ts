import { App } from 'aws-cdk-lib';
import { MessagingStack, type MessagingStackProps, type RuleId } from 'sluice/cdk';
import { OrdersStack } from '../../../examples/orders/stack.ts';
import { handlers, shop } from '../../constructs/fixtures/shop.ts';
import { declare, judgeByHand, judgeHatched, type Specimen } from '../../wrong-stacks/support/specimen.ts';

type Properties = Readonly<Record<string, unknown>>;

/** A template as it is deployed, by kinds of resources. */
export interface Deployed {
  of(type: string): readonly (readonly [id: string, properties: Properties])[];
  /** The logical id that a property refers to. */
  id(value: unknown): string;
}

const newApp = () => new App({ analyticsReporting: false, context: { 'aws:cdk:bundling-stacks': [] } });

function deployed(app: App): Deployed {
  const { template } = app.synth().stacks[0]! as {
    readonly template: { Resources: Readonly<Record<string, { Type: string; Properties?: Properties }>> };
  };
  return {
    of: (type) =>
      Object.entries(template.Resources)
        .filter(([, resource]) => resource.Type === type)
        .map(([id, { Properties: properties = {} }]) => [id, properties] as const),
    id(value) {
      const { Ref, 'Fn::GetAtt': attribute } = (value ?? {}) as { Ref?: string; 'Fn::GetAtt'?: string[] };
      return Ref ?? attribute?.[0] ?? 'elsewhere';
    },
  };
}

/** The example, and a shop with a subscriber of each kind. */
export function stacks(props: Partial<MessagingStackProps<typeof shop>> = {}): readonly Deployed[] {
  const [orders, other] = [newApp(), newApp()];
  new OrdersStack(orders, 'Orders');
  new MessagingStack(other, 'Shop', { messaging: shop, handlers, ...props });
  return [deployed(orders), deployed(other)];
}

/** The ids of the rules that refuse the wrong stacks, or warn of them, each in all the ways in which it can be wrong. */
export async function refusedBy(...rules: readonly RuleId[]): Promise<readonly (readonly string[])[]> {
  return Promise.all(
    rules.map(async (rule) => {
      const { specimen } = (await import(`../../wrong-stacks/${rule}.ts`)) as { specimen: Specimen };
      const { byHand, hatched, declared } = specimen;
      const said = [
        ...(byHand === undefined ? [] : [judgeByHand((stack) => byHand.wrong(stack))]),
        ...(hatched === undefined ? [] : [judgeHatched(hatched)]),
      ].flatMap(({ errors, warnings }) => [...errors, ...warnings]);
      return [...new Set([...said, ...(declared === undefined ? [] : declare(declared.wrong))])];
    }),
  );
}
