/**
 * The condition keys whose values the model has, in small letters (IAM user guide, "AWS global condition context keys",
 * and the Service Authorization Reference of each service). A key that is always absent here is absent on AWS in the
 * same place: `aws:sourcearn` on a call that no service makes for somebody.
 */
const known: ReadonlySet<string> = new Set([
  ...['aws:currenttime', 'aws:epochtime', 'aws:principalaccount', 'aws:principalarn', 'aws:principaltype'],
  ...['aws:principalisawsservice', 'aws:principalservicename', 'aws:requestedregion', 'aws:resourceaccount'],
  ...['aws:securetransport', 'aws:sourceaccount', 'aws:sourcearn', 'aws:sourceowner', 'aws:userid'],
  ...['aws:calledvia', 'aws:calledviafirst', 'aws:calledvialast', 'aws:viaawsservice'],
  // The account belongs to no organization, has no users, and nothing comes through an endpoint of a VPC: always absent.
  ...['aws:principalorgid', 'aws:principalorgpaths', 'aws:resourceorgid', 'aws:resourceorgpaths'],
  ...['aws:sourceorgid', 'aws:sourceorgpaths', 'aws:sourcevpc', 'aws:sourcevpce', 'aws:username'],
  ...['cloudwatch:namespace', 'dynamodb:enclosingoperation', 'dynamodb:leadingkeys'],
  ...['iam:passedtoservice', 'kms:calleraccount', 'kms:encryptioncontextkeys', 'kms:viaservice'],
  ...['lambda:functionarn', 'sns:endpoint', 'sns:protocol'],
]);

/** Families of keys: the rest of the name is the user's. */
const families = ['kms:encryptioncontext:'];

/** Whether the model can tell what a condition key holds; it is given in small letters. */
export const isKnownKey = (key: string): boolean =>
  known.has(key) || families.some((family) => key.startsWith(family));

/** Keys whose values differ from call to call, though role, action and resource are the same. */
const varying: ReadonlySet<string> = new Set(['aws:currenttime', 'aws:epochtime', 'aws:userid']);

/** Whether a decision that looked at a key may be kept, for calls that bring no conditions of their own. */
export const isSteady = (key: string): boolean => !varying.has(key);
