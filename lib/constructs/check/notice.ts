import { type IPropertyInjector, PropertyInjectors } from 'aws-cdk-lib';
import { Subscription, type SubscriptionProps } from 'aws-cdk-lib/aws-sns';
import type { IConstruct } from 'constructs';

/** The ids of subscriptions, by their scopes, of which the CDK dropped the filter on the body. */
const dropped = new WeakMap<IConstruct, Set<string>>();
const noticed = new WeakSet<IConstruct>();

/**
 * Looks at the props of the subscriptions that are made in a scope from now on. With both filters the CDK keeps that on
 * attributes and forgets the other before anybody can read it: neither the construct nor its template has it, and the
 * metadata that a feature flag adds name both props also where neither was said.
 */
export function noticeFilters(scope: IConstruct): void {
  if (noticed.has(scope)) return;
  noticed.add(scope);
  const injectors = PropertyInjectors.of(scope);
  const id = Subscription.PROPERTY_INJECTION_ID;
  // There is one injector for a class in a scope: what the app wants injected is injected by this one then.
  const others = injectorOf(scope);
  injectors.add({
    constructUniqueId: id,
    inject(original: SubscriptionProps, context) {
      const props = (others?.inject(original, context) ?? original) as SubscriptionProps;
      if (props.filterPolicy !== undefined && props.filterPolicyWithMessageBody !== undefined)
        dropped.set(context.scope, (dropped.get(context.scope) ?? new Set()).add(context.id));
      return props;
    },
  });
}

/** The injector that the CDK would ask: the nearest. */
function injectorOf(scope: IConstruct): IPropertyInjector | undefined {
  const nearest = scope.node.scopes
    .toReversed()
    .flatMap((each) =>
      PropertyInjectors.hasPropertyInjectors(each)
        ? (PropertyInjectors.of(each).for(Subscription.PROPERTY_INJECTION_ID) ?? [])
        : [],
    );
  return nearest[0];
}

/** Whether the CDK dropped a filter of a subscription, as far as anybody saw it being made. */
export function isFilterDropped({ node: { scope, id } }: Subscription): boolean {
  return scope !== undefined && dropped.get(scope)?.has(id) === true;
}
