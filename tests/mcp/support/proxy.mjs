// Replaces the fixed names of a test suite by ours, so that scenarios for a server with fixtures run on a real
// server. Requests and answers are otherwise unchanged.

import { createServer, request } from 'node:http';

// `names`: pairs of a fixed name and our name. Resolves to the address for the suite.
export async function renaming(target, names) {
  const ours = (text) => names.reduce((result, [fixed, own]) => result.replaceAll(fixed, own), text);
  const theirs = (text) => names.reduce((result, [fixed, own]) => result.replaceAll(own, fixed), text);
  const server = createServer((incoming, outgoing) => {
    const parts = [];
    incoming.on('data', (part) => parts.push(part));
    incoming.on('end', () => {
      const body = ours(Buffer.concat(parts).toString());
      const headers = Object.fromEntries(Object.entries(incoming.headers).map(([name, value]) => [name, ours(value)]));
      headers.host = target.host;
      delete headers['transfer-encoding'];
      if (body) headers['content-length'] = Buffer.byteLength(body);
      const { method, url: path } = incoming;
      const asked = request({ host: target.hostname, port: target.port, method, path, headers }, (answer) => {
        const { 'content-length': _, ...rest } = answer.headers;
        outgoing.writeHead(answer.statusCode, rest);
        outgoing.flushHeaders();
        // Replace whole lines only, so that no name is split.
        let kept = '';
        answer.setEncoding('utf8');
        answer.on('data', (part) => {
          const end = (kept + part).lastIndexOf('\n') + 1;
          outgoing.write(theirs((kept + part).slice(0, end)));
          kept = (kept + part).slice(end);
        });
        answer.on('end', () => outgoing.end(theirs(kept)));
        answer.on('error', () => outgoing.destroy());
      });
      asked.on('error', () => outgoing.destroy());
      outgoing.on('close', () => asked.destroy());
      asked.end(body);
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(target.pathname, `http://127.0.0.1:${server.address().port}`);
  const close = () => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  };
  return { url, close };
}
