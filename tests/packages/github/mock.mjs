// A GitHub on loopback: GraphQL is executed by graphql-js on GitHub's own published schema, REST bodies are
// checked against GitHub's own OpenAPI description before they are sent. Started as
//   node mock.mjs MODULES SCENARIOS
// where SCENARIOS is a JSON file; prints its ports for http and https. Each scenario holds issues, pulls, permissions and faults, and
// is served below /s/NAME, so that one process serves every test.
import { readFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const [modules, scenariosFile] = process.argv.slice(2);
const require = createRequire(join(modules, 'x.js'));
const { buildSchema, graphql } = require('graphql');
const Ajv = require('ajv').default;
const scenarios = JSON.parse(readFileSync(scenariosFile, 'utf8'));
const sdl = readFileSync(join(modules, '@octokit/graphql-schema/schema.graphql'), 'utf8');
// The published schema declares two fields twice, which graphql-js would refuse.
const schema = buildSchema(sdl, { assumeValidSDL: true, assumeValid: true });

const ajv = new Ajv({ strict: false });
require('ajv-formats').default(ajv);
ajv.addSchema(JSON.parse(readFileSync(join(dirname(fileURLToPath(import.meta.url)), 'rest.schema.json'), 'utf8')), 'rest');
const examples = require('@octokit/webhooks-examples/api.github.com/index.json');
const example = (name, pick) => examples.find((hook) => hook.name === name).examples.map(pick).find(Boolean);
const issueExample = example('issues', (payload) => payload.issue);
const appExample = {
  id: 1, slug: 'app', node_id: 'x', owner: issueExample.user, description: null, external_url: 'https://example.com', html_url: 'https://example.com',
  created_at: '2026-01-01T00:00:00Z', updated_at: '2026-01-01T00:00:00Z', permissions: {}, events: [],
};
const pullExample = example('pull_request', (payload) => payload.pull_request?.base?.repo && payload.pull_request);

const actor = (person) => person && { __typename: person.type ?? 'User', login: person.login };
const connection = (nodes, pages = false) => ({ totalCount: nodes.length, nodes, pageInfo: { hasNextPage: pages, endCursor: pages ? 'next' : null } });
const repoOf = (issue) => issue.repo ?? 'o/r';

function issueNode(number, issue) {
  const edits = (issue.edits ?? []).map((edit) => ({ editedAt: edit.at, deletedAt: edit.redacted ? edit.at : null, editor: actor(edit.editor) }));
  return {
    __typename: 'Issue', number, url: `https://github.com/${repoOf(issue)}/issues/${number}`, body: issue.body ?? '',
    createdAt: '2026-01-01T00:00:00Z', lastEditedAt: issue.lastEditedAt ?? edits.map((edit) => edit.editedAt).sort().at(-1) ?? null,
    includesCreatedEdit: edits.length > 0, author: actor(issue.author), authorAssociation: issue.association ?? 'NONE',
    repository: { nameWithOwner: repoOf(issue) },
    userContentEdits: ({ after }) => {
      if (issue.edits === null) return null;
      if (issue.nodes === null) return { totalCount: 0, nodes: null, pageInfo: { hasNextPage: false } };
      if (issue.nodes) return { ...connection([null]), totalCount: 1 };
      if (!issue.pageSize) return connection(edits);
      return after ? connection(edits.slice(issue.pageSize)) : connection(edits.slice(0, issue.pageSize), true);
    },
  };
}

function pullNode(scenario, number, pull) {
  const linked = (pull.linked ?? []).map((n) => n && issueNode(n, scenario.issues[n]));
  return {
    __typename: 'PullRequest', number, url: `https://github.com/o/r/pull/${number}`, body: pull.body ?? '', createdAt: pull.createdAt,
    baseRefName: pull.base ?? 'main', baseRefOid: 'a'.repeat(40), headRefOid: pull.head ?? 'b'.repeat(40),
    closingIssuesReferences: ({ userLinkedOnly }) => {
      if (pull.linked === null) return null;
      // GitHub makes its links a moment after a text was saved.
      if (!userLinkedOnly && pull.asked === undefined) pull.asked = 0;
      if (!userLinkedOnly && pull.asked++ < (pull.linkedAfter ?? 0)) return connection([]);
      const shown = userLinkedOnly ? linked.filter((issue) => (pull.byHand ?? []).includes(issue.number)) : linked;
      return { ...connection(shown), totalCount: pull.totalLinked ?? shown.length };
    },
  };
}

const rootOf = (scenario) => ({
  repository: ({ owner, name }) => {
    if (`${owner}/${name}`.toLowerCase() !== 'o/r') return null;
    return {
      nameWithOwner: scenario.renamed ?? 'o/r', defaultBranchRef: { name: 'main' },
      issueOrPullRequest: ({ number }) => {
        if (scenario.issues?.[number]) return issueNode(number, scenario.issues[number]);
        return scenario.pulls?.[number] ? pullNode(scenario, number, scenario.pulls[number]) : null;
      },
      pullRequest: ({ number }) => (scenario.pulls?.[number] ? pullNode(scenario, number, scenario.pulls[number]) : null),
    };
  },
});

const user = (person) => person && { ...issueExample.user, login: person.login, type: person.type ?? 'User' };
function restIssue(number, issue) {
  const repo = `https://api.github.com/repos/${repoOf(issue)}`;
  const body = {
    ...issueExample, number, body: issue.body ?? null, user: user(issue.author), author_association: issue.association ?? 'NONE',
    repository_url: repo, html_url: `https://github.com/${repoOf(issue)}/issues/${number}`, performed_via_github_app: issue.viaApp ? { ...appExample, name: issue.viaApp } : null,
  };
  return checked('issue', body);
}
function restPull(number, pull) {
  const side = (branch, sha) => ({ ...pullExample.base, ref: branch, sha, repo: { ...pullExample.base.repo, full_name: 'o/r', default_branch: 'main' } });
  const body = {
    ...pullExample, number, body: pull.body ?? null, created_at: pull.createdAt, html_url: `https://github.com/o/r/pull/${number}`,
    auto_merge: null, base: side(pull.base ?? 'main', 'a'.repeat(40)), head: side('topic', pull.head ?? 'b'.repeat(40)),
  };
  return body;
}
function checked(name, body) {
  const validate = ajv.getSchema(`rest#/definitions/${name}`);
  if (!validate(body)) throw new Error(`the mock's ${name} is not GitHub's: ${ajv.errorsText(validate.errors)}`);
  return body;
}

const logs = {};
const answered = new Map();
function answer(request, response) {
  let text = '';
  request.on('data', (piece) => { text += piece; });
  request.on('end', async () => {
    const send = (status, body, headers = {}) => {
      response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers });
      response.end(typeof body === 'string' ? body : JSON.stringify(body));
    };
    // A server of one's own has its interfaces below /api.
    const url = request.url.replace(/^\/api(\/v3)?\//, '/s/enterprise/');
    const [, scenarioName, path] = /^\/s\/([^/]+)(\/.*)$/.exec(url) ?? [];
    const scenario = scenarios[scenarioName];
    if (!scenario) return send(404, { message: `no scenario at ${request.url}` });
    const log = (logs[scenarioName] ??= []);
    if (path === '/log') return send(200, log);
    log.push({ method: request.method, path, authorization: request.headers.authorization ?? null });
    try {
      const fault = (scenario.faults ?? []).find((fault) => path.includes(fault.path));
      const times = answered.get(fault) ?? 0;
      if (fault && !(fault.text && !text.includes(fault.text)) && times < (fault.times ?? Infinity)) {
        answered.set(fault, times + 1);
        if (fault.hang) return undefined;
        if (fault.refuse) return request.socket.destroy();
        if (fault.huge) {
          response.writeHead(200, { 'content-type': 'application/json' });
          const piece = 'x'.repeat(1 << 20);
          for (let n = 0; n < 100 && !response.destroyed; n += 1) {
            if (!response.write(piece)) await new Promise((resolve) => { for (const end of ['drain', 'close']) response.removeAllListeners(end).once(end, resolve); });
          }
          return response.end();
        }
        const headers = { ...fault.headers };
        if (fault.resetIn !== undefined) headers['x-ratelimit-reset'] = String(Math.floor(Date.now() / 1000) + fault.resetIn);
        if (fault.location) headers.location = fault.location.replace('HOST', `${request.socket.encrypted ? 'https' : 'http'}://${request.headers.host}/s/${scenarioName}`);
        return send(fault.status, fault.body ?? { message: 'fault' }, headers);
      }
      if (request.method === 'POST' && path === '/graphql') {
        if (!request.headers.authorization) return send(401, { message: 'Requires authentication' });
        const { query, variables } = JSON.parse(text);
        return send(200, await graphql({ schema, source: query, rootValue: rootOf(scenario), variableValues: variables }));
      }
      const moved = /^\/repositories\/\d+\/issues\/(\d+)$/.exec(path)?.[1];
      if (moved && scenario.moved?.[moved]) return send(200, restIssue(Number(moved), scenario.moved[moved]));
      const [, owner, name, kind, rest] = /^\/repos\/([^/]+)\/([^/]+)\/(issues|pulls|collaborators)\/(.+)$/.exec(path) ?? [];
      const number = Number(rest);
      if (`${owner}/${name}`.toLowerCase() === 'o/r') {
        if (kind === 'issues' && scenario.issues?.[number]) return send(200, restIssue(number, scenario.issues[number]));
        if (kind === 'issues' && scenario.pulls?.[number]) {
          return send(200, { ...restIssue(number, { body: '', author: { login: 'x' } }), pull_request: { url: null, html_url: null, diff_url: null, patch_url: null } });
        }
        if (kind === 'pulls' && scenario.pulls?.[number]) return send(200, restPull(number, scenario.pulls[number]));
        if (kind === 'collaborators') {
          const login = rest.replace('/permission', '');
          const permission = scenario.permissions?.[login];
          if (!permission || !request.headers.authorization) return send(403, { message: 'Must have push access to view collaborator permission.' });
          return send(200, { permission, role_name: permission, user: null });
        }
      }
      return send(404, { message: 'Not Found', documentation_url: 'https://docs.github.com/rest', status: '404' });
    } catch (error) {
      return send(500, { message: String(error) });
    }
  });
}
const here = dirname(fileURLToPath(import.meta.url));
const shown = (name) => readFileSync(join(here, 'tls', name));
const servers = [http.createServer(answer), https.createServer({ key: shown('server.key'), cert: shown('server.pem') }, answer)];
const port = (server) => new Promise((resolve) => { server.listen(0, '127.0.0.1', () => resolve(server.address().port)); });
process.stdout.write(`${(await Promise.all(servers.map(port))).join(' ')}\n`);
// Whoever started it holds its stdin; when that ends, so does this.
process.stdin.resume().on('end', () => process.exit());
