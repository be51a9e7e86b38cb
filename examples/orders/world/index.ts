import { once } from 'node:events';
import { startThread } from '../run/thread.ts';
import type { Assessment } from './fraud.ts';
import type { Mail } from './mail.ts';
import type { Charge } from './provider.ts';
import type { WorldOptions, WorldServers } from './servers.ts';
import type { WorldCommand } from './thread.ts';

export { type Assessment, createFraudService } from './fraud.ts';
export { createMailServer, type Mail } from './mail.ts';
export { type Charge, createProvider, type Reply } from './provider.ts';
export type { WorldOptions } from './servers.ts';

/** The systems outside, as the run sees them. */
export interface World {
  readonly urls: WorldServers['urls'];
  /** The addresses as parameters of the stack. */
  readonly parameters: Readonly<Record<string, string>>;
  setFraudDown(down: boolean): void;
  /** Assessments that were asked for so far while the service was down. */
  refusedAssessments(): Promise<number>;
  /** Reads what each system has done, over HTTP. */
  ledgers(): Promise<Ledgers>;
  close(): Promise<void>;
}

/** What the systems outside have done. */
export interface Ledgers {
  readonly charges: readonly Charge[];
  /** Charges that were asked for again under their key, and answered from the ledger. */
  readonly replays: number;
  /** Charges that were told to come again later. */
  readonly throttled: number;
  /** Charges that failed on the provider's side. */
  readonly failedCharges: number;
  readonly mails: readonly Mail[];
  readonly assessments: readonly Assessment[];
  /** Assessments that were asked for while the service was down. */
  readonly refusedAssessments: number;
}

/**
 * Starts the systems outside in one thread of their own, so that nothing which happens in the model or in the shop
 * changes how fast they answer.
 *
 * @example
 * ```ts
 * const world = await startWorld({ ratePerSecond: 900, declineFromCents: 25_000, brokenOrders: [], providerMs: 15 });
 * ```
 */
export async function startWorld(options: WorldOptions): Promise<World> {
  const thread = startThread('./thread', import.meta.url, { workerData: options, name: 'world' });
  const [urls] = (await once(thread, 'message')) as [WorldServers['urls']];
  const tell = (command: WorldCommand) => thread.postMessage(command);
  const read = async (url: string, path = 'ledger') => (await fetch(`${url}/${path}`)).json();
  return {
    urls,
    parameters: {
      PaymentProviderUrl: urls.provider,
      MailServerUrl: urls.mail,
      FraudServiceUrl: urls.fraud,
    },
    setFraudDown: (fraudDown) => tell({ fraudDown }),
    async refusedAssessments() {
      return ((await read(urls.fraud, 'refused')) as { refused: number }).refused;
    },
    async ledgers() {
      const [provider, mail, fraud] = (await Promise.all([
        read(urls.provider),
        read(urls.mail),
        read(urls.fraud),
      ])) as [
        { charges: Charge[]; replays: number; refused: number; failed: number },
        { mails: Mail[] },
        { assessments: Assessment[]; refused: number },
      ];
      return {
        charges: provider.charges,
        replays: provider.replays,
        throttled: provider.refused,
        failedCharges: provider.failed,
        mails: mail.mails,
        assessments: fraud.assessments,
        refusedAssessments: fraud.refused,
      };
    },
    async close() {
      tell('close');
      await once(thread, 'exit');
    },
  };
}
