import { anything, type Input, type Place, type Row, type Rows, rowsFor, text } from './row.ts';

const alarm = (name: string, { account, region }: Place) =>
  `arn:aws:cloudwatch:${region}:${account}:alarm:${name}`;
const dashboard = (name: string, { account }: Place) => `arn:aws:cloudwatch::${account}:dashboard/${name}`;

const alarmOf = ({ AlarmName }: Input, place: Place) => alarm(text(AlarmName) || '*', place);

/** Each of several names; all of them, when none is named. */
const each =
  (action: string, member: string, arnOf: (name: string, place: Place) => string): Row =>
  (input, place) => {
    const { [member]: given } = input;
    const names = Array.isArray(given) && given.length > 0 ? given.map(text) : ['*'];
    return names.map((name) => ({ action: `cloudwatch:${action}`, resource: arnOf(name, place) }));
  };

/** Service Authorization Reference, "Actions, resources, and condition keys for Amazon CloudWatch". */
export const cloudwatch: Rows = {
  ...rowsFor('cloudwatch', ['GetMetricData', 'GetMetricStatistics', 'ListMetrics'], anything),
  PutMetricData: ({ Namespace }) => ({
    action: 'cloudwatch:PutMetricData',
    resource: '*',
    conditions: () => ({ 'cloudwatch:namespace': text(Namespace) }),
  }),
  ...rowsFor(
    'cloudwatch',
    ['DescribeAlarmHistory', 'PutCompositeAlarm', 'PutMetricAlarm', 'SetAlarmState'],
    alarmOf,
  ),
  DeleteAlarms: each('DeleteAlarms', 'AlarmNames', alarm),
  DescribeAlarms: each('DescribeAlarms', 'AlarmNames', alarm),
  DisableAlarmActions: each('DisableAlarmActions', 'AlarmNames', alarm),
  EnableAlarmActions: each('EnableAlarmActions', 'AlarmNames', alarm),
  ...rowsFor('cloudwatch', ['ListTagsForResource', 'TagResource', 'UntagResource'], ({ ResourceARN }) =>
    text(ResourceARN),
  ),
  ...rowsFor('cloudwatch', ['GetDashboard', 'PutDashboard'], ({ DashboardName }, place) =>
    dashboard(text(DashboardName), place),
  ),
  DeleteDashboards: each('DeleteDashboards', 'DashboardNames', dashboard),
  ...rowsFor('cloudwatch', ['ListDashboards'], (_input, place) => dashboard('*', place)),
};
