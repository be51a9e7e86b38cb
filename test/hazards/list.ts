/** One way in which at-least-once delivery breaks a promise, and what is done about it. */
export interface Hazard {
  readonly number: number;
  readonly hazard: string;
  readonly answer: string;
}

/**
 * The hazards of the runtime, of the stacks and of the model they are tested on. Those of alarms (36) and of the
 * operators' tools (29, 31, 37, 40, 41) have numbers of the same list.
 */
export const hazards: readonly Hazard[] = [
  {
    number: 1,
    hazard: 'A worker dies before the effect',
    answer:
      'Its lease ends, the message comes again, another worker takes the event over; the effect happens once',
  },
  {
    number: 2,
    hazard: 'A worker dies between the effect and its record',
    answer:
      'Effect and record commit in one transaction (`commitWith`, `transactional`), or the effect carries the event’s id as its key; one without a key is declared to repeat',
  },
  {
    number: 3,
    hazard: 'A worker dies between the record and the acknowledgement',
    answer: 'The next delivery finds COMPLETED and is acknowledged without a run',
  },
  {
    number: 4,
    hazard: 'Two deliveries of one event at the same time',
    answer: 'A conditional write lets one claim it; the other goes back until the lease is over, plus jitter',
  },
  {
    number: 5,
    hazard: 'A frozen worker wakes after its lease and completes',
    answer: 'Owner and fence are in the condition of every write; it is told that the lease is lost',
  },
  {
    number: 6,
    hazard: 'A frozen worker wakes and fails',
    answer: 'It can neither release nor bury what another one owns, nor change its visibility',
  },
  {
    number: 7,
    hazard: 'Lease and visibility disagree',
    answer: 'One heartbeat extends the lease first and the visibility after it; the lease always ends first',
  },
  {
    number: 8,
    hazard: 'A heartbeat fails or is throttled',
    answer:
      'It is tried again within what the lease has left; when that is used up, the handler’s signal fires',
  },
  {
    number: 9,
    hazard: 'A heartbeat overtakes the acknowledgement or the backoff',
    answer: 'It has ended, and was waited for, before any visibility is set or the response is given',
  },
  {
    number: 10,
    hazard: 'SQS hides a message for twelve hours at most',
    answer:
      'The handler is told before that, saves its progress, and the message goes back without using an attempt',
  },
  {
    number: 11,
    hazard: 'A receipt handle is stale or has expired',
    answer: 'A change that is refused changes nothing; the record decides at the next delivery',
  },
  {
    number: 12,
    hazard: 'The delete fails after the work is done',
    answer: 'The message comes again and is recognized by its record',
  },
  {
    number: 13,
    hazard: 'A message that can never succeed',
    answer:
      'It goes to the dead-letter queue at once with its reason; what may pass is tried again after a wait',
  },
  {
    number: 14,
    hazard: 'Throttled invocations burn the receives of messages that nobody tried',
    answer:
      'The event source’s maximum concurrency is the bound; `maxReceiveCount` lies far above the attempts, which are counted in the record',
  },
  {
    number: 15,
    hazard: 'A part of a FIFO batch fails',
    answer: 'The first failure and everything after it in its group go back; other groups go on',
  },
  {
    number: 16,
    hazard: 'A dead letter leaves a gap in its group',
    answer: '`halt` parks the group until an operator lifts it; `skip` goes on and marks the gap',
  },
  {
    number: 17,
    hazard: 'Events arrive out of order on a standard queue',
    answer:
      '`sequenceGuard` drops what is older than the last one applied, in the write that completes the event',
  },
  {
    number: 18,
    hazard: 'A batch response that Lambda misreads',
    answer: 'Whatever a handler throws or returns, the response names exactly the messages that are not done',
  },
  {
    number: 19,
    hazard: 'An event source does not take the failed part of a batch',
    answer: 'The stack always asks for `ReportBatchItemFailures`; a stack without it is refused',
  },
  {
    number: 20,
    hazard: 'An outage turns into a storm of retries',
    answer: 'Full jitter spreads the tries, through visibility; the alarm of redelivery fires',
  },
  {
    number: 21,
    hazard: 'The table of records is throttled or away',
    answer: 'Nothing runs without its claim; the messages go back and have used no attempt',
  },
  {
    number: 22,
    hazard: 'TTL deletes late, clocks differ',
    answer:
      'Expiry and leases are judged in the conditions, with a margin of 2 s for skew, beyond which the fence decides; nothing waits for a deletion',
  },
  {
    number: 23,
    hazard: 'A replay comes after the record’s life',
    answer:
      'A record outlives both retentions and the replay margin; a later replay is refused unless it is accepted explicitly',
  },
  {
    number: 24,
    hazard: 'A redrive changes the message id',
    answer: 'The event’s `source` and `id` are its key, never the message id',
  },
  {
    number: 25,
    hazard: 'Another payload under the same id',
    answer: 'The record keeps the payload’s hash; the second payload is dead-lettered as `conflict`',
  },
  {
    number: 26,
    hazard: 'SNS cannot deliver to a queue',
    answer:
      'Every subscription has a dead-letter queue, with policy and key grants made together; alarms tell of what failed and of what could not be dead-lettered',
  },
  {
    number: 27,
    hazard: 'A filter policy on a FIFO topic makes delivery at most once',
    answer: 'No stack has one by itself; whoever adds one is warned at synthesis',
  },
  {
    number: 28,
    hazard: 'A message that is too large',
    answer:
      'UTF-8 bytes of body and attributes are measured before anything is sent, and refused with their count',
  },
  {
    number: 30,
    hazard: 'A part of a batch of publishes fails',
    answer: '`Failed` is read and only that is sent again; successful and failed together are what was given',
  },
  {
    number: 32,
    hazard: 'The schema changes',
    answer: 'What a consumer cannot read is dead-lettered as `schema`; members that it does not know pass',
  },
  {
    number: 33,
    hazard: 'A function that sends to its own queue is stopped after 16 rounds',
    answer:
      'Visibility does the waiting; a right to send to the own queue is refused, one to publish to the own topic is warned of',
  },
  {
    number: 34,
    hazard: 'A hot group hides the others',
    answer:
      'It caps itself alone; an alarm tells of idle workers beside a backlog, and the runbook how to spread the key',
  },
  {
    number: 35,
    hazard: 'The function’s time ends in the middle',
    answer: 'Before that nothing new starts, and what is not done goes back',
  },
  {
    number: 38,
    hazard: 'A record stays in progress after a time-out',
    answer: 'Every lease ends by itself; a remaining time of 0, or of nonsense, is no time',
  },
  {
    number: 39,
    hazard: 'A cache in the worker lies',
    answer: 'Nothing about records is cached: a warm worker sees what others did',
  },
  {
    number: 42,
    hazard: 'A message kills its process and its batch mates with it',
    answer:
      'What was taken over from a dead owner runs alone, marked first; the killer is dead-lettered as `crash`, its mates are done',
  },
  {
    number: 43,
    hazard: 'FIFO messages behind a failing head burn their receives untried',
    answer: 'Attempts are counted in the record; SQS’s own count is a last net far above them',
  },
  {
    number: 44,
    hazard: 'Returned FIFO messages stay hidden longer than their head',
    answer: 'The rest is visible at once and before its head, whose wait still holds it back',
  },
  {
    number: 45,
    hazard: 'A handler blocks the event loop',
    answer:
      'A lease that ended meanwhile counts as lost until the record says otherwise; the late heartbeat is logged with advice',
  },
  {
    number: 46,
    hazard: 'A condition of the handler’s own item fails',
    answer: 'A typed error names the items and what was found; nothing was written, the handler decides',
  },
  {
    number: 47,
    hazard: 'The reply of a transaction is lost',
    answer: 'It is sent again under its token, and the record is read; the outcome is never guessed',
  },
  {
    number: 48,
    hazard: 'One event twice in one batch',
    answer: 'Keys are unique before the claim; the copy shares the outcome of the first',
  },
  {
    number: 49,
    hazard: 'A finished FIFO message becomes visible before its batch has answered',
    answer: 'The heartbeat hides every message of the batch until the response, finished ones too',
  },
  {
    number: 50,
    hazard: 'A crash or time-out in the middle of a call outside: outcome unknown',
    answer:
      "`onUnknownOutcome: 'park'` does not run it again: it is dead-lettered as `unknown-outcome` with what is known",
  },
];
