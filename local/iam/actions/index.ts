import { cloudformation } from './cloudformation.ts';
import { cloudwatch } from './cloudwatch.ts';
import { dynamodb, dynamodbstreams } from './dynamodb.ts';
import { ecr } from './ecr.ts';
import { iam, kms, sts } from './identity.ts';
import { lambda } from './lambda.ts';
import type { Rows } from './row.ts';
import { s3 } from './s3.ts';
import { sns } from './sns.ts';
import { sqs } from './sqs.ts';
import { ssm } from './ssm.ts';

export { statementDemand } from './partiql.ts';
export type { Demand, Place, Row, Rows } from './row.ts';

/** What each action of each service needs, by the service's id and the action's name in the API. */
export const rows: Readonly<Record<string, Rows>> = {
  ...{ cloudformation, cloudwatch, dynamodb, dynamodbstreams, ecr, iam, kms, lambda, s3, sns, sqs, ssm, sts },
};
