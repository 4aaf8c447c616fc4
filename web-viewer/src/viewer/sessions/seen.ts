// The pages of what an agent saw, for the graph: of an answer, of a whole session, or of what an agent would see now.
import type { OmittedPart, Part } from '#contract';
import type { UbpClient } from '../../client/client';
import type { Seen } from '../../routing/urls';

/** Most answers of one question. */
const MOST = 1000;

export interface SeenAnswers {
  /** Name and version of the client; null if it gave none. */
  agent: string | null;
  answers: readonly { given: readonly Part[]; omitted: readonly OmittedPart[] }[];
}

export async function answersOf(client: Pick<UbpClient, 'call'>, seen: Seen): Promise<SeenAnswers> {
  if (seen.of === 'page') {
    const { page, operation, limit } = seen;
    return { agent: null, answers: [await client.call('preview_answer', { page, operation, max_tokens: limit })] };
  }
  const { session, answer } = seen;
  if (answer !== null) {
    const { agent, answers } = await client.call('get_session', { session, before: answer + 1, limit: 1 });
    return { agent, answers: answers.filter(({ number }) => number === answer) };
  }
  let part = await client.call('get_session', { session, limit: MOST });
  const answers = [...part.answers];
  for (let first = answers[0]?.number ?? 1; first > 1; first = part.answers[0]?.number ?? 1) {
    part = await client.call('get_session', { session, before: first, limit: MOST });
    answers.push(...part.answers);
  }
  return { agent: part.agent, answers };
}
