import { fileURLToPath } from 'node:url';
import { CfnOutput, CfnParameter, RemovalPolicy, Validations } from 'aws-cdk-lib';
import { AttributeType, BillingMode, Table, TableEncryption } from 'aws-cdk-lib/aws-dynamodb';
import type { Construct } from 'constructs';
import { MessagingStack, type MessagingStackProps, Sluice } from 'sluice/cdk';
import { orders } from './topology.ts';

/** Everything that a messaging stack takes but what makes it this one. */
export type OrdersStackProps = Omit<MessagingStackProps<typeof orders>, 'messaging' | 'handlers'>;

/**
 * The order pipeline on AWS: what the declaration says, the two tables that its handlers write, and where the
 * systems outside are. Those addresses are parameters, so that one template serves every environment.
 */
export class OrdersStack extends MessagingStack<typeof orders> {
  constructor(scope: Construct, id: string, props: OrdersStackProps = {}) {
    super(scope, id, {
      ...props,
      messaging: orders,
      handlers: fileURLToPath(new URL('./handlers', import.meta.url)),
    });

    Sluice.silence(
      this,
      'visibility-margin',
      'A run lasts a minute and a half: what a killed consumer held is to be seen again in it.',
    );
    // Whoever deploys this for real gives it an alarmTopic.
    Sluice.silence(this, 'alarm-without-action', 'An example has nobody on call: its dashboard is watched.');

    const stock = this.#table('Stock');
    const inventory = this.subscriber('inventory').function;
    stock.grant(inventory, 'dynamodb:UpdateItem');
    inventory.addEnvironment('STOCK_TABLE', stock.tableName);

    const revenue = this.#table('Revenue');
    const analytics = this.subscriber('analytics').function;
    revenue.grant(analytics, 'dynamodb:UpdateItem');
    analytics.addEnvironment('REVENUE_TABLE', revenue.tableName);

    this.subscriber('payments').function.addEnvironment(
      'PAYMENT_PROVIDER_URL',
      this.#address('PaymentProviderUrl', 'https://payments.example.com'),
    );
    this.subscriber('email').function.addEnvironment(
      'MAIL_SERVER_URL',
      this.#address('MailServerUrl', 'https://mail.example.com'),
    );
    this.subscriber('fraud').function.addEnvironment(
      'FRAUD_SERVICE_URL',
      this.#address('FraudServiceUrl', 'https://fraud.example.com'),
    );
  }

  /** A table of the business: as the stack's own, it outlives the stack, but not in development. */
  #table(name: string): Table {
    const lasting = this.stage === 'prod';
    const table = new Table(this, name, {
      partitionKey: { name: 'pk', type: AttributeType.STRING },
      billingMode: BillingMode.PAY_PER_REQUEST,
      encryption: TableEncryption.DEFAULT,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: lasting },
      deletionProtection: lasting,
      removalPolicy: lasting ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
    if (!lasting)
      Validations.of(table).acknowledge({
        id: 'AwsSolutions::AwsSolutions-DDB3',
        reason: 'In development nothing is restored.',
      });
    new CfnOutput(this, `${name}Table`, { value: table.tableName });
    return table;
  }

  #address(name: string, standard: string): string {
    return new CfnParameter(this, name, { type: 'String', default: standard }).valueAsString;
  }
}
