import { ServiceError } from '../service.ts';

/** An error of S3 by its code (S3 API reference, "Error responses"); some hold the bucket or the key. */
const error = (
  code: string,
  statusCode: number,
  message: string,
  members: Readonly<Record<string, unknown>> = {},
) => new ServiceError(code, message, { statusCode, members });

export const noBucket = (BucketName: string | undefined) =>
  error('NoSuchBucket', 404, 'The specified bucket does not exist', { BucketName });
export const noKey = (Key: string | undefined) =>
  error('NoSuchKey', 404, 'The specified key does not exist.', { Key });
export const noVersion = (Key: string | undefined, VersionId: string) =>
  error('NoSuchVersion', 404, 'The specified version does not exist.', { Key, VersionId });
export const noUpload = (UploadId: string | undefined) =>
  error(
    'NoSuchUpload',
    404,
    'The specified upload does not exist. The upload ID may be invalid, or the upload may have been aborted or completed.',
    { UploadId },
  );
export const noSetting = (code: string, message: string, BucketName: string | undefined) =>
  error(code, 404, message, { BucketName });
export const invalidArgument = (message: string) => error('InvalidArgument', 400, message);
export const invalidRequest = (message: string) => error('InvalidRequest', 400, message);
export const invalidBucketName = (BucketName: string | undefined) =>
  error(
    'InvalidBucketName',
    400,
    `The bucket's name is "${BucketName}": allowed are 3 to 63 lower-case letters, digits, dots and hyphens, with a letter or digit at either end.`,
    { BucketName },
  );
export const notEmpty = (BucketName: string | undefined) =>
  error('BucketNotEmpty', 409, 'The bucket you tried to delete is not empty', { BucketName });
export const ownedAlready = (BucketName: string | undefined) =>
  error(
    'BucketAlreadyOwnedByYou',
    409,
    'Your previous request to create the named bucket succeeded and you already own it.',
    { BucketName },
  );
export const preconditionFailed = (Condition: string) =>
  error('PreconditionFailed', 412, 'At least one of the pre-conditions you specified did not hold', {
    Condition,
  });
export const notModified = () => error('NotModified', 304, 'Not Modified');
export const invalidRange = (RangeRequested: string, ActualObjectSize: number) =>
  error('InvalidRange', 416, 'The requested range is not satisfiable', { RangeRequested, ActualObjectSize });
export const tooLarge = (message: string) => error('EntityTooLarge', 400, message);
export const tooSmall = (PartNumber: number) =>
  error(
    'EntityTooSmall',
    400,
    'Your proposed upload is smaller than the minimum allowed size: every part but the last needs 5 MiB.',
    { PartNumber },
  );
export const invalidPart = (PartNumber: number | undefined) =>
  error(
    'InvalidPart',
    400,
    'One or more of the specified parts could not be found, or its entity tag does not match.',
    { PartNumber },
  );
export const invalidPartOrder = () =>
  error('InvalidPartOrder', 400, 'The list of parts was not in ascending order.');
export const malformedPolicy = (message: string) => error('MalformedPolicy', 400, message);
export const notModelled = (message: string) => error('NotImplemented', 501, message);
