// One interface to all official clients, so that the same tests run on each.

import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as Stdio1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as Http1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  ElicitRequestSchema,
  ResourceListChangedNotificationSchema,
  ResourceUpdatedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { Client as Client2, StreamableHTTPClientTransport as Http2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as Stdio2 } from '@modelcontextprotocol/client/stdio';

const INFO = { name: 'ubp-suite', version: '1' };

// `answer`, if given, answers the questions that the server has for a person.
const capabilities = (answer) => (answer ? { elicitation: { form: {} } } : {});

function first(answer) {
  const client = new Client1(INFO, { capabilities: capabilities(answer) });
  if (answer) client.setRequestHandler(ElicitRequestSchema, ({ params }) => answer(params));
  return {
    client,
    stdio: (options) => new Stdio1(options),
    http: (url, options) => new Http1(url, options),
    call: (name, args, options) => client.callTool({ name, arguments: args }, undefined, options),
    watch: async (uris, { updated, listChanged }) => {
      client.setNotificationHandler(ResourceUpdatedNotificationSchema, (note) => updated(note.params.uri));
      client.setNotificationHandler(ResourceListChangedNotificationSchema, () => listChanged());
      for (const uri of uris) await client.subscribeResource({ uri });
      return async () => {
        for (const uri of uris) await client.unsubscribeResource({ uri });
      };
    },
  };
}

function second(mode, answer) {
  const versions = mode ? { versionNegotiation: { mode } } : {};
  const client = new Client2(INFO, { capabilities: capabilities(answer), ...versions });
  if (answer) client.setRequestHandler('elicitation/create', ({ params }) => answer(params));
  const listens = mode !== undefined;
  return {
    client,
    stdio: (options) => new Stdio2(options),
    http: (url, options) => new Http2(url, options),
    call: (name, args, options) => client.callTool({ name, arguments: args }, options),
    watch: async (uris, { updated, listChanged }) => {
      client.setNotificationHandler('notifications/resources/updated', (note) => updated(note.params.uri));
      client.setNotificationHandler('notifications/resources/list_changed', () => listChanged());
      if (listens) {
        const subscription = await client.listen({ resourceSubscriptions: uris, resourcesListChanged: true });
        return () => subscription.close();
      }
      for (const uri of uris) await client.subscribeResource({ uri });
      return async () => {
        for (const uri of uris) await client.unsubscribeResource({ uri });
      };
    },
  };
}

// `progress`: whether the client reliably delivers notifications that arrive just before an answer.
export const CLIENTS = [
  { name: '@modelcontextprotocol/sdk 1.x', open: first, version: '2025-11-25', progress: false },
  { name: '@modelcontextprotocol/client 2.x', open: (answer) => second(undefined, answer), version: '2025-11-25', progress: true },
  {
    name: '@modelcontextprotocol/client 2.x, negotiating',
    open: (answer) => second('auto', answer),
    version: '2026-07-28',
    progress: true,
  },
];
