import { type AwsModel, type AwsOptions, createAws } from 'sluice/local';
import { createEndpoint, type Endpoint } from '../../../local/http/index.ts';
import { clientSettings } from './fixtures.ts';

/** The whole model behind an endpoint. */
export interface Running {
  readonly aws: AwsModel;
  readonly endpoint: Endpoint;
  /** Settings of an SDK client that goes there; one try. */
  readonly settings: ReturnType<typeof clientSettings>;
  stop(): Promise<void>;
}

/** Starts the model and an endpoint on a free port. */
export async function runAws(options: AwsOptions = {}): Promise<Running> {
  let aws: AwsModel | undefined;
  const endpoint = await createEndpoint(
    (url) => {
      aws = createAws({ ...options, endpoint: url });
      return aws;
    },
    { port: 0 },
  );
  const made = aws as AwsModel;
  return {
    aws: made,
    endpoint,
    settings: clientSettings(endpoint),
    async stop() {
      made.stop();
      await endpoint.close();
    },
  };
}
