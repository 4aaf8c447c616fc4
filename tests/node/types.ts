// What TypeScript makes of calls; compiled by types.test.mjs and never run.
import { type Client, type OperationName, type SearchOutput, UbpError, open, openSync, run } from "ubp";

export async function right(signal: AbortSignal): Promise<void> {
  const client: Client = await open(new URL("file:///project"));
  const found: SearchOutput = await client.call("search", { query: "session", limit: 3 }, { signal });
  const first = found.results[0];
  const score: number | undefined = first?.score_breakdown.fulltext;
  const lines: [number, number] | undefined = first?.sections[0]?.lines;
  const pages: string[] = client.callSync("list_pages").pages.map((page) => page.filepath);
  await client.call("status");
  await client.call("search", { query: "session", limit: null, tags: undefined });
  client.on("progress", ({ operation, stage, done, total }) => {
    const name: OperationName = operation;
    if (stage === "vectors") console.log(name, done / total);
  });
  client.on("notice", ({ message, hint }) => console.log(message, hint?.length));
  const status: number = await run(["status"], { signal });
  try {
    openSync().callSync("rebuild");
  } catch (error) {
    if (error instanceof UbpError) console.log(error.code.length, error.hint?.length, status, score, lines, pages);
  }
  await client.close();
}

export async function wrong(client: Client): Promise<void> {
  // @ts-expect-error: there is no such operation
  await client.call("serach", { query: "session" });
  // @ts-expect-error: a query must be given
  await client.call("search");
  // @ts-expect-error: a query must be given
  await client.call("search", { limit: 3 });
  // @ts-expect-error: a query is text
  await client.call("search", { query: 3 });
  // @ts-expect-error: there is no such parameter
  await client.call("search", { query: "session", colour: "red" });
  // @ts-expect-error: there is no such mode
  client.callSync("search", { query: "session", mode: "magic" });
  // @ts-expect-error: there is no such field
  console.log((await client.call("search", { query: "session" })).nonsense);
  // @ts-expect-error: there is no such event
  client.on("nonsense", () => {});
}
