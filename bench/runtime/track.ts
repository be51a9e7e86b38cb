/** Answers kept by action, in the order of the requests, and played back: the same work repeated gets the same ones. */
export interface Track<Request, Answer> {
  play(request: Request): Promise<Answer>;
  /** Plays what was recorded during this work, over and over, from its beginning. */
  record(work: () => Promise<void>): Promise<void>;
  /** How many requests were answered since the track was made. */
  requests(): number;
}

/**
 * @param actionOf - what a request asks for
 * @param serve - answers while the track is recorded; a rejection is kept as an answer too
 */
export function createTrack<Request, Answer>(
  actionOf: (request: Request) => string,
  serve: (request: Request) => Promise<Answer>,
): Track<Request, Answer> {
  const kept = new Map<string, { answers: (() => Answer)[]; next: number }>();
  let recording = false;
  let requests = 0;
  return {
    async play(request) {
      const action = actionOf(request);
      requests += 1;
      const track = kept.get(action) ?? { answers: [], next: 0 };
      if (!recording) {
        const answer = track.answers[track.next++ % track.answers.length];
        if (answer === undefined) throw new Error(`${action} was not called while the tape was recorded.`);
        return answer();
      }
      kept.set(action, track);
      // Its place is taken when the request is made, whenever its answer comes.
      const place = track.answers.push(unanswered) - 1;
      try {
        const answer = await serve(request);
        track.answers[place] = () => answer;
        return answer;
      } catch (thrown) {
        track.answers[place] = () => {
          throw thrown;
        };
        throw thrown;
      }
    },
    async record(work) {
      kept.clear();
      recording = true;
      try {
        await work();
      } finally {
        recording = false;
      }
    },
    requests: () => requests,
  };
}

const unanswered = (): never => {
  throw new Error('The recording ended before this request was answered.');
};
