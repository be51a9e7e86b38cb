import { ServiceError } from '../service.ts';

/** A parameter whose value SQS refuses; `explanation` is the whole message. */
export const invalidParameter = (explanation: string) =>
  new ServiceError('InvalidParameterValue', explanation);

/** The usual form of {@link invalidParameter}: the value, the parameter and the reason. */
export const invalidValue = (value: unknown, parameter: string, reason: string) =>
  invalidParameter(`Value ${String(value)} for parameter ${parameter} is invalid. Reason: ${reason}`);

export const missingParameter = (parameter: string) =>
  new ServiceError('MissingParameter', `The request must contain the parameter ${parameter}.`);

export const queueDoesNotExist = () =>
  new ServiceError('QueueDoesNotExist', 'The specified queue does not exist.', {
    queryCode: 'AWS.SimpleQueueService.NonExistentQueue',
  });

export const queueNameExists = (attribute: string) =>
  new ServiceError(
    'QueueNameExists',
    `A queue already exists with the same name and a different value for attribute ${attribute}`,
    { queryCode: 'QueueAlreadyExists' },
  );

export const queueDeletedRecently = () =>
  new ServiceError(
    'QueueDeletedRecently',
    'You must wait 60 seconds after deleting a queue before you can create another with the same name.',
    { queryCode: 'AWS.SimpleQueueService.QueueDeletedRecently' },
  );

export const unknownAttribute = (name: string) =>
  new ServiceError('InvalidAttributeName', `Unknown Attribute ${name}.`);

export const invalidAttributeName = (explanation: string) =>
  new ServiceError('InvalidAttributeName', explanation);

export const invalidAttributeValue = (name: string, reason?: string) =>
  new ServiceError(
    'InvalidAttributeValue',
    `Invalid value for the parameter ${name}.${reason === undefined ? '' : ` Reason: ${reason}`}`,
  );

export const receiptHandleIsInvalid = (handle: string) =>
  new ServiceError(
    'ReceiptHandleIsInvalid',
    `The input receipt handle "${handle}" is not a valid receipt handle.`,
    { statusCode: 404 },
  );

export const receiptHandleHasExpired = (handle: string) =>
  invalidValue(handle, 'ReceiptHandle', 'The receipt handle has expired.');

export const notAvailableForChange = (handle: string) =>
  invalidValue(
    handle,
    'ReceiptHandle',
    'Message does not exist or is not available for visibility timeout change.',
  );

export const invalidMessageContents = () =>
  new ServiceError(
    'InvalidMessageContents',
    'Invalid characters found. Valid unicode characters are #x9 | #xA | #xD | #x20 to #xD7FF | #xE000 to #xFFFD | #x10000 to #x10FFFF',
  );

/** AWS words it otherwise in a batch. */
export const messageTooLong = (limit: number, inBatch: boolean) =>
  invalidParameter(
    `One or more parameters ${inBatch ? 'cannot be validated' : 'are invalid'}. Reason: Message must be shorter than ${limit} bytes.`,
  );

export const batchRequestTooLong = (limit: number, sent: number) =>
  new ServiceError(
    'BatchRequestTooLong',
    `Batch requests cannot be longer than ${limit} bytes. You have sent ${sent} bytes.`,
    { queryCode: 'AWS.SimpleQueueService.BatchRequestTooLong' },
  );

export const emptyBatchRequest = () =>
  new ServiceError('EmptyBatchRequest', 'There should be at least one entry in the request.', {
    queryCode: 'AWS.SimpleQueueService.EmptyBatchRequest',
  });

export const tooManyEntries = (limit: number, sent: number) =>
  new ServiceError(
    'TooManyEntriesInBatchRequest',
    `Maximum number of entries per request are ${limit}. You have sent ${sent}.`,
    { queryCode: 'AWS.SimpleQueueService.TooManyEntriesInBatchRequest' },
  );

export const invalidBatchEntryId = () =>
  new ServiceError(
    'InvalidBatchEntryId',
    'A batch entry id can only contain alphanumeric characters, hyphens and underscores. It can be at most 80 letters long.',
    { queryCode: 'AWS.SimpleQueueService.InvalidBatchEntryId' },
  );

export const batchEntryIdsNotDistinct = (id: string) =>
  new ServiceError('BatchEntryIdsNotDistinct', `Id ${id} repeated.`, {
    queryCode: 'AWS.SimpleQueueService.BatchEntryIdsNotDistinct',
  });

export const overLimit = (limit: number) =>
  new ServiceError(
    'OverLimit',
    `The queue has ${limit} messages in flight, the most that SQS allows. Delete the messages that have been processed.`,
    { statusCode: 403 },
  );

export const purgeQueueInProgress = (name: string) =>
  new ServiceError(
    'PurgeQueueInProgress',
    `Only one PurgeQueue operation on ${name} is allowed every 60 seconds.`,
    { statusCode: 403, queryCode: 'AWS.SimpleQueueService.PurgeQueueInProgress' },
  );

export const resourceNotFound = (explanation: string) =>
  new ServiceError('ResourceNotFoundException', explanation, { statusCode: 404 });

export const accessDenied = (resource: string) =>
  new ServiceError('AccessDenied', `Access to the resource ${resource} is denied.`, { statusCode: 403 });
