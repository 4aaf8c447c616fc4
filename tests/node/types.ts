// Compiled by types.test.mjs, never run.
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
  // @ts-expect-error: unknown operation
  await client.call("serach", { query: "session" });
  // @ts-expect-error: missing query
  await client.call("search");
  // @ts-expect-error: missing query
  await client.call("search", { limit: 3 });
  // @ts-expect-error: the query must be a string
  await client.call("search", { query: 3 });
  // @ts-expect-error: unknown parameter
  await client.call("search", { query: "session", colour: "red" });
  // @ts-expect-error: unknown mode
  client.callSync("search", { query: "session", mode: "magic" });
  // @ts-expect-error: unknown field
  console.log((await client.call("search", { query: "session" })).nonsense);
  // @ts-expect-error: unknown event
  client.on("nonsense", () => {});
}
