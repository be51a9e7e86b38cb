import { type IResolvable, Lazy, Token, Tokenization } from 'aws-cdk-lib';
import type { CfnDashboard, Dashboard, IWidget } from 'aws-cdk-lib/aws-cloudwatch';
import type { DashboardWidget } from '../monitoring/index.ts';

/**
 * Puts widgets at the top of a dashboard; what is added to it by `addWidgets` stands below. They are one text that is
 * written once, in which `Fn::Sub` puts the names that only the deployment knows. As widgets of the CDK they would be
 * rendered again, with every name in them, each time that something reads the template: for a third of a synthesis.
 */
export function prepend(dashboard: Dashboard, widgets: readonly DashboardWidget[]): void {
  if (widgets.length === 0) return;
  const values = new Map<IResolvable, string>();
  const text = JSON.stringify(widgets, (_, value: unknown) =>
    typeof value === 'string' ? written(value, values) : value,
  ).slice(1, -1);
  const variables = Object.fromEntries([...values].map(([value, name]) => [name, value]));
  const substituted = (pattern: string) => ({
    'Fn::Sub': values.size === 0 ? pattern : [pattern, variables],
  });

  dashboard.addWidgets(placeOf(widgets));
  const resource = dashboard.node.defaultChild as CfnDashboard;
  const body = resource.dashboardBody;
  resource.dashboardBody = Token.asString(
    Lazy.uncachedAny({
      produce({ resolve }) {
        const parts = partsOf(resolve(body)).map((part) => {
          if (typeof part !== 'string' || !part.includes(place)) return part;
          const [before, after] = part.split(place).map(escaped);
          return substituted(`${before}${text}${after}`);
        });
        return parts.length === 1 ? parts[0] : { 'Fn::Join': ['', parts] };
      },
    }),
  );
}

/** Stands in the body of the CDK where the text is put. */
const place = '"sluice: widgets"';

/** Keeps the room of the widgets free. */
const placeOf = (widgets: readonly DashboardWidget[]): IWidget => ({
  width: Math.max(...widgets.map(({ x, width }) => x + width)),
  height: Math.max(...widgets.map(({ y, height }) => y + height)),
  position() {},
  toJson: () => [JSON.parse(place)],
});

/** A text as `Fn::Sub` reads it, with a variable for each value in it that is not known yet. */
function written(text: string, values: Map<IResolvable, string>): string {
  const [value] = text.includes('${') ? Tokenization.reverseString(text).tokens : [];
  if (value === undefined) return escaped(text);
  const [before = '', ...after] = text.split(Token.asString(value));
  const name = values.get(value) ?? `Value${values.size + 1}`;
  values.set(value, name);
  return [before, ...after].map((part) => written(part, values)).join(`\${${name}}`);
}

/** CloudFormation user guide, "Fn::Sub": what is no variable is written with an exclamation mark. */
const escaped = (text: string): string => text.replaceAll('${', '${!');

/** What a resolved text is joined from. */
function partsOf(
  text: string | { readonly 'Fn::Join': readonly [string, readonly unknown[]] },
): readonly unknown[] {
  return typeof text === 'string' ? [text] : text['Fn::Join'][1];
}
