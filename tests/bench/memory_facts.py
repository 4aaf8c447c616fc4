"""Facts as agents remember them in different sessions: each line is one fact, told two or three times, under different
topics and in other words. Lines below each other are often about the same subject, and say something else."""

ENGLISH = """
Session lifetime = A session ends after 30 minutes without a request. | Idle timeout of logins = Users who do nothing for half an hour are signed out. | Sign-in sessions = Sessions expire when there was no request for 30 minutes.
Session storage = Sessions are kept in Redis, not in the database. | Where sessions live = The session store is Redis. | Redis = We use Redis to hold the sessions of users.
Password hashing = Passwords are hashed with argon2id before they are stored. | Stored passwords = We store argon2id hashes of passwords, never the passwords. | argon2 = The users table has argon2id hashes in the password column.
Login attempts = After five failed logins an account is locked for an hour. | Account lockout = Five wrong passwords lock the account for 60 minutes. | Brute force protection = An account is blocked for one hour when the password was wrong five times.
Two-factor login = Administrators must use a second factor; for other users it is optional. | 2FA policy = A second factor is required for admins and optional for everybody else.
Access tokens = Access tokens are JWTs signed with EdDSA. | JWT signatures = We sign our JSON Web Tokens with EdDSA keys. | Token format = The API gets JWT access tokens with an EdDSA signature.
Refresh tokens = A refresh token can be used once; using it again ends all sessions of the user. | Refresh token rotation = Each refresh token works a single time, and a second use signs the user out everywhere.
Database = The main database is PostgreSQL 16. | Which database we use = Production data is in Postgres 16. | PostgreSQL version = We run PostgreSQL version 16 as the primary database.
Migrations = Schema changes are SQL files in db/migrations, applied by sqlx at startup. | Changing the schema = Put a SQL file into db/migrations; sqlx runs it when the server starts. | sqlx migrate = On startup the server applies the migrations in db/migrations with sqlx.
Connection pool = The pool has at most 20 database connections for each instance. | Postgres connections = Each server instance opens no more than twenty connections to the database.
Read replicas = Reports read from the replica; everything else reads from the primary. | Reporting queries = Only the reports use the read replica.
Soft deletion = Orders are never deleted; deleted_at is set instead. | Deleting orders = To delete an order, set deleted_at: the row stays. | deleted_at = Rows of orders stay in the table, marked by deleted_at.
Ids of rows = All tables use UUID v7 as the primary key. | Primary keys = Primary keys are UUIDs of version 7 in every table.
Time zones = Times are stored in UTC and shown in the time zone of the user. | Timestamps = Every timestamp in the database is UTC; the frontend converts it to local time. | UTC = We keep all times as UTC, and convert them only for display.
Money = Amounts are integers in cents, never floats. | Storing amounts of money = Prices and totals are stored as a whole number of cents. | Prices = Do not use floating point for prices: they are integers, in cents.
Currency = Every amount has a currency code beside it, in ISO 4217. | ISO 4217 = Amounts carry the three-letter ISO 4217 code of their currency.
Rounding = Taxes are rounded per line of the invoice, half up. | Rounding taxes = We round the tax of each invoice line, with half up.
API versioning = The version of the API is in the path: /v2/orders. | Versions of the HTTP API = Clients choose the API version by the first part of the path, such as /v2.
API errors = Errors are problem details as in RFC 9457, with a stable type. | Error responses = Failed requests answer with application/problem+json (RFC 9457). | RFC 9457 = Our HTTP errors follow RFC 9457 problem details.
Pagination = Lists use cursors, not page numbers; a page has at most 100 items. | Paging through lists = List endpoints take a cursor and return up to 100 items.
Rate limits = Each API key may make 600 requests a minute. | Limit of requests = An API key is limited to 600 requests per minute. | Throttling = More than 600 requests in a minute with one key are refused.
Idempotency = Payments need the header Idempotency-Key, and keys are kept for a day. | Idempotency-Key = A payment request must send Idempotency-Key; we remember it for 24 hours.
Port = The API listens on port 8080. | HTTP port = The server binds port 8080. | Where the API listens = In every environment the API is reachable on port 8080.
Metrics port = Prometheus scrapes port 9100. | Prometheus = Metrics are exposed on port 9100 for Prometheus.
Health checks = /healthz answers 200 when the process runs; /readyz also checks the database. | Readiness = Use /readyz to see whether the database is reachable, and /healthz for the process alone.
Logging = Logs are JSON lines on standard output. | Log format = The server writes its log to stdout as one JSON object a line. | Structured logs = We log JSON to stdout.
Log levels = Production logs at level info; debug is switched on per request by a header. | Debug logs in production = Send the debug header to get debug logs of one request; otherwise production logs info.
Personal data in logs = E-mail addresses and names must not be logged. | What must not be logged = Never write names or e-mail addresses of users to the log. | Logs and privacy = Logs contain no names and no e-mail addresses.
Tracing = Traces go to Tempo over OTLP, one in ten requests is sampled. | OpenTelemetry = We send ten percent of the traces to Tempo with OTLP.
Alerts = Alerts go to the on-call engineer by PagerDuty, not to Slack. | On call = PagerDuty calls the engineer on duty; Slack gets no alerts.
Deployment = We deploy to Kubernetes with Argo CD from the repository infra. | Argo CD = Argo CD rolls out what the infra repository says. | How to deploy = Merge a change to the infra repository; Argo CD applies it to the cluster.
Deploy freeze = Nobody deploys on Fridays after noon. | Fridays = No deployments on Friday afternoons. | When to deploy = Deploy from Monday to Friday noon.
Staging = Staging is reset from anonymised production data every Sunday. | Data on staging = Each Sunday, staging gets a fresh anonymised copy of production.
Secrets = Secrets are in Vault and reach pods through the CSI driver. | Vault = Kubernetes pods get their secrets from Vault by the CSI driver.
Feature flags = Feature flags are in Unleash and must be removed within a month after the rollout. | Unleash = A flag in Unleash has to go at the latest one month after its feature is out.
Backups = The database is backed up every hour and backups are kept for 35 days. | Database backups = Hourly backups of Postgres stay for 35 days. | Restoring data = We can restore the database to any hour of the last 35 days.
CDN = Pictures are served by Cloudflare, and purged when a product changes. | Cloudflare cache = A change of a product purges its pictures from the Cloudflare cache.
Continuous integration = Tests run in GitHub Actions on every push. | CI = Every push starts the tests in GitHub Actions. | GitHub Actions = We run all tests on GitHub Actions for each push.
Merging = Pull requests are squashed, and need one approval. | Pull requests = One colleague has to approve a pull request; then it is squash-merged.
Commit messages = Commit messages follow Conventional Commits. | Conventional Commits = Write commit messages in the Conventional Commits format.
Branches = Branches are named after the ticket: feature/ABC-123. | Branch names = A branch has the key of its ticket in its name, as in feature/ABC-123.
Rust toolchain = The project is pinned to Rust 1.85 in rust-toolchain.toml. | Rust version = rust-toolchain.toml pins Rust 1.85. | Compiler version = We compile with Rust 1.85, which rust-toolchain.toml demands.
Error types = Libraries use thiserror, binaries use anyhow. | thiserror and anyhow = Use anyhow in binaries and thiserror in library crates. | Rust errors = In crates that are libraries errors derive thiserror; main programs return anyhow.
Async runtime = We use tokio; blocking work goes to spawn_blocking. | tokio = Blocking code must run in tokio's spawn_blocking, never on its worker threads.
Unsafe code = Unsafe Rust is forbidden by a lint in every crate. | forbid(unsafe_code) = Each crate has the lint that forbids unsafe code.
Frontend framework = The web frontend is Svelte 5 with TypeScript. | Svelte = We build the web app with Svelte 5 and TypeScript. | Web app = The frontend is written in TypeScript and uses Svelte 5.
Styling = Styles are plain CSS with custom properties; no Tailwind. | CSS = We write plain CSS and use custom properties, and do not use Tailwind.
Translations = Texts of the interface are in Fluent files under locales. | Fluent = Interface messages are translated in Fluent files in the folder locales.
Accessibility = Every page must pass axe without findings. | axe = The end-to-end tests run axe and fail on any finding.
Browser support = We support the last two versions of Chrome, Firefox and Safari. | Supported browsers = The app has to work in the two latest versions of Safari, Firefox and Chrome.
End-to-end tests = End-to-end tests are written with Playwright. | Playwright = We use Playwright for tests in the browser. | Browser tests = The tests that click through the app are Playwright tests.
Test data = Factories in tests/factories make test data; fixtures are not used. | Making test data = Use the factories of tests/factories instead of fixtures.
Flaky tests = A flaky test is quarantined within a day and fixed within a week. | Quarantine = Unreliable tests go to quarantine at once and must be fixed in a week.
Order numbers = An order number has the year and a counter: 2026-000123. | Numbers of orders = Orders are numbered per year, such as 2026-000123.
Shipping = Orders over 50 euros ship for free within Germany. | Free shipping = Shipping in Germany costs nothing from 50 euros on. | Shipping costs = German customers pay no shipping for orders above 50 euros.
Returns = Customers can return goods within 30 days. | Return period = Goods may be sent back for 30 days. | Sending goods back = A customer has thirty days to return an order.
Refunds = A refund goes back to the payment method of the order. | How refunds are paid = We pay refunds by the method with which the customer paid.
Invoices = Invoices are PDF/A files and kept for ten years. | Keeping invoices = We have to keep invoices for 10 years, as PDF/A.
VAT = VAT is charged by the country of delivery. | Value-added tax = The country to which we deliver decides the VAT rate. | Tax rate = The VAT rate is that of the country of the delivery address.
Stock = An item is reserved for 15 minutes when it is put into the cart. | Reservations = Putting an item into the cart reserves it for a quarter of an hour.
Product search = Product search uses Meilisearch, updated from the outbox table. | Meilisearch = The outbox table feeds Meilisearch, which answers product searches.
Outbox = Events are written to the table outbox in the same transaction as the change. | Publishing events = An event goes into the outbox table within the transaction of its change.
Message broker = Events are published to NATS JetStream. | NATS = We publish events with NATS JetStream. | JetStream = Services get events from NATS JetStream.
E-mails = E-mails are sent by Postmark, from a queue with three attempts. | Sending mail = Mail goes out through Postmark; a failed one is tried three times.
Webhooks = Webhooks are signed with HMAC-SHA256 in the header X-Signature. | Signature of webhooks = X-Signature has the HMAC-SHA256 of the webhook's body. | X-Signature = Receivers of webhooks check the HMAC-SHA256 in X-Signature.
Retries of webhooks = A webhook is retried for three days, with growing pauses. | Failed webhooks = If a receiver fails, we try its webhook again for three days, less and less often.
File uploads = Uploads go straight to S3 with a presigned URL. | Presigned URLs = The browser uploads files to S3 directly, by a presigned URL.
Virus scan = Uploaded files are scanned by ClamAV before anyone can download them. | ClamAV = ClamAV checks each upload before it can be downloaded.
Image sizes = Pictures are stored in three widths: 320, 960 and 1920 pixels. | Widths of pictures = We keep every picture with 320, 960 and 1920 pixels of width.
Licence = The project is licensed under Apache 2.0. | Licensing = Our code is under the Apache License 2.0.
"""

# Facts of one form, which differ in a name or a number: as likely to be taken for the same as anything is.
ENGLISH_FORMS = """
Port of the orders service = The orders service listens on port 8081. | orders port = Orders is reachable on 8081.
Port of the payments service = The payments service listens on port 8082. | payments port = Payments is reachable on 8082.
Port of the users service = The users service listens on port 8083. | users port = Users is reachable on 8083.
Port of the mail service = The mail service listens on port 8084.
Owner of checkout = The team Falcon owns the checkout module. | Who owns checkout = Ask Falcon about the checkout module, it is theirs.
Owner of search = The team Heron owns the search module. | Who owns search = Ask Heron about the search module, it is theirs.
Owner of accounts = The team Kestrel owns the accounts module. | Who owns accounts = Ask Kestrel about the accounts module, it is theirs.
Owner of reporting = The team Falcon owns the reporting module.
Timeout of the carrier API = Calls of the carrier API time out after 5 seconds. | Carrier API = We wait at most five seconds for the carrier API.
Timeout of the tax API = Calls of the tax API time out after 2 seconds. | Tax API = We wait at most two seconds for the tax API.
Timeout of the address API = Calls of the address API time out after 3 seconds. | Address API = We wait at most three seconds for the address API.
Timeout of the fraud API = Calls of the fraud API time out after 8 seconds.
Cache of product pages = Product pages are cached for 10 minutes. | How long product pages are cached = The cache keeps product pages ten minutes.
Cache of category pages = Category pages are cached for an hour. | How long category pages are cached = The cache keeps category pages sixty minutes.
Cache of search results = Search results are cached for 30 seconds. | How long search results are cached = The cache keeps search results half a minute.
Cache of the home page = The home page is cached for 5 minutes.
Staging database = The staging database is db-stage-2 in eu-west-1. | Database of staging = Staging uses db-stage-2 (eu-west-1).
Production database = The production database is db-prod-1 in eu-central-1. | Database of production = Production uses db-prod-1 (eu-central-1).
Test database = The test database is a container that each run starts anew. | Database of tests = Tests use a fresh database container in every run.
Retention of access logs = Access logs are kept for 14 days. | How long access logs stay = We delete access logs after two weeks.
Retention of audit logs = Audit logs are kept for 7 years. | How long audit logs stay = We delete audit logs after seven years.
Retention of error logs = Error logs are kept for 90 days. | How long error logs stay = We delete error logs after three months.
Retention of traces = Traces are kept for 3 days.
Queue of invoices = Invoices are made by the worker of the queue invoices, four at a time. | Invoice worker = Four invoices are made at once, from the queue invoices.
Queue of exports = Exports are made by the worker of the queue exports, one at a time. | Export worker = One export is made at once, from the queue exports.
Queue of thumbnails = Thumbnails are made by the worker of the queue thumbnails, eight at a time. | Thumbnail worker = Eight thumbnails are made at once, from the queue thumbnails.
Migrating the users table = The column users.name was split into first_name and last_name in March. | users.name = Since March, users has first_name and last_name in place of name.
Migrating the orders table = The column orders.total was split into net and tax in May. | orders.total = Since May, orders has net and tax in place of total.
Migrating the items table = The column items.size was split into width and height in June. | items.size = Since June, items has width and height in place of size.
Tests of the parser = Run the tests of the parser with cargo test -p parser. | How to test the parser = cargo test -p parser tests the parser.
Tests of the server = Run the tests of the server with cargo test -p server. | How to test the server = cargo test -p server tests the server.
Tests of the client = Run the tests of the client with npm test. | How to test the client = npm test tests the client.
Style of Rust code = Rust code is formatted by rustfmt with lines of 100 characters. | Formatting Rust = rustfmt formats Rust, up to 100 characters a line.
Style of Python code = Python code is formatted by ruff with lines of 88 characters. | Formatting Python = ruff formats Python, up to 88 characters a line.
Style of TypeScript code = TypeScript code is formatted by prettier with lines of 120 characters. | Formatting TypeScript = prettier formats TypeScript, up to 120 characters a line.
Right to refund orders = Supervisors may refund orders of any amount. | Refunds by supervisors = A supervisor can refund an order, however large it is.
Right to cancel orders = Agents may cancel orders that are not shipped. | Cancelling by agents = An agent can cancel an order before it is shipped.
Right to edit orders = Agents may edit orders that are not paid. | Editing by agents = An agent can edit an order before it is paid.
Endpoint of orders = GET /orders returns the orders of the signed-in user. | GET /orders = The signed-in user gets their orders from GET /orders.
Endpoint of addresses = GET /addresses returns the addresses of the signed-in user. | GET /addresses = The signed-in user gets their addresses from GET /addresses.
Endpoint of invoices = GET /invoices returns the invoices of the signed-in user. | GET /invoices = The signed-in user gets their invoices from GET /invoices.
Deleting an order = DELETE /orders/ID cancels the order if it is not shipped.
Event order.created = order.created is published after the order is stored. | When order.created is sent = We publish order.created once the order is stored.
Event order.paid = order.paid is published after the payment is captured. | When order.paid is sent = We publish order.paid once the payment is captured.
Event order.shipped = order.shipped is published after the parcel is handed over. | When order.shipped is sent = We publish order.shipped once the parcel is handed over.
"""

JAPANESE = """
セッションの有効期限 = 30分間操作がないとセッションは終了する。 | ログインのタイムアウト = 半時間何もしないユーザーは自動的にサインアウトされる。 | アイドルタイムアウト = リクエストが30分なければセッションは失効する。
セッションの保存先 = セッションはデータベースではなく Redis に保存する。 | Redis の用途 = ユーザーのセッションは Redis に置いている。
パスワードの保存 = パスワードは argon2id でハッシュ化して保存する。 | パスワードハッシュ = 保存するのは argon2id のハッシュで、平文は保存しない。
アカウントロック = ログインに5回失敗するとアカウントは1時間ロックされる。 | ログイン失敗 = パスワードを5回間違えると60分間ログインできない。 | 総当たり対策 = 5回続けて失敗したアカウントは1時間使えなくなる。
データベース = 本番のデータベースは PostgreSQL 16 である。 | 使用しているDB = 主データベースとして PostgreSQL 16 を使っている。
マイグレーション = スキーマの変更は db/migrations の SQL ファイルで、起動時に適用される。 | スキーマ変更の手順 = db/migrations に SQL を置くと、サーバーの起動時に実行される。
接続プール = データベースへの接続はインスタンスごとに最大20本。 | DB接続数 = 各インスタンスが開く接続は20本まで。
論理削除 = 注文は削除せず、deleted_at を設定する。 | 注文の削除 = 注文の行は残し、deleted_at で削除済みにする。
時刻の扱い = 時刻は UTC で保存し、表示のときにユーザーのタイムゾーンに変換する。 | タイムゾーン = データベースの時刻はすべて UTC で、画面で現地時間に直す。
金額の扱い = 金額は小数ではなく整数(円)で持つ。 | 価格の型 = 価格は円単位の整数で保存し、浮動小数点は使わない。
エラー応答 = API のエラーは RFC 9457 の形式で返す。 | APIのエラー = 失敗したリクエストには problem+json(RFC 9457)を返す。
レート制限 = API キーごとに1分600リクエストまで。 | リクエスト数の上限 = 1つのキーで送れるのは毎分600件まで。
ポート番号 = API は 8080 番ポートで待ち受ける。 | 待ち受けポート = サーバーのポートは 8080 である。
ログの形式 = ログは JSON で標準出力に出す。 | ログ出力 = 標準出力に1行1つの JSON オブジェクトを書く。
ログと個人情報 = 氏名とメールアドレスはログに出してはいけない。 | ログに書かないもの = 利用者の名前やメールアドレスをログに残さない。
デプロイ = Argo CD が infra リポジトリの内容をクラスターに反映する。 | リリース手順 = infra リポジトリにマージすると Argo CD が Kubernetes に適用する。
金曜のデプロイ禁止 = 金曜の午後はデプロイしない。 | デプロイの時間帯 = デプロイは月曜から金曜の正午までに行う。
バックアップ = データベースは1時間ごとにバックアップし、35日間保管する。 | DBのバックアップ = バックアップは毎時取得し、保存期間は35日。
CI = プッシュのたびに GitHub Actions でテストを実行する。 | 継続的インテグレーション = テストはプッシュごとに GitHub Actions で動く。
プルリクエスト = プルリクエストには1人の承認が必要で、スクワッシュマージする。 | マージの規則 = 1人が承認したらスクワッシュでマージする。
フロントエンド = Web アプリは Svelte 5 と TypeScript で書いている。 | 画面の実装 = フロントエンドには Svelte 5 と TypeScript を使う。
E2Eテスト = ブラウザのテストは Playwright で書く。 | ブラウザテスト = 画面を操作するテストには Playwright を使っている。
送料 = 国内への5000円以上の注文は送料無料。 | 送料無料の条件 = 国内配送は5000円から送料がかからない。
返品 = 商品は30日以内なら返品できる。 | 返品期間 = お客様は30日間、商品を返品できる。 | 返品の期限 = 購入から30日を過ぎると返品できない。
消費税 = 税額は請求書の行ごとに切り捨てる。 | 端数処理 = 消費税の端数は明細行ごとに切り捨て。
在庫の確保 = カートに入れた商品は15分間確保される。 | カートの在庫 = カートに入れると在庫を15分だけ押さえる。
イベントの配信 = イベントは NATS JetStream に発行する。 | メッセージブローカー = サービス間のイベントには NATS JetStream を使う。
メール送信 = メールは Postmark で送り、失敗したら3回まで再送する。 | メールの再送 = Postmark への送信に失敗すると3回試す。
Webhookの署名 = Webhook には HMAC-SHA256 の署名を X-Signature ヘッダーに付ける。 | X-Signature = 受信側は X-Signature の HMAC-SHA256 を検証する。
ファイルのアップロード = ファイルは署名付き URL で S3 に直接アップロードする。 | 署名付きURL = ブラウザは署名付き URL を使って S3 に直接送る。
"""

JAPANESE_FORMS = """
注文サービスのポート = 注文サービスは 8081 番ポートで動く。 | 注文のポート番号 = 注文サービスのポートは 8081。
決済サービスのポート = 決済サービスは 8082 番ポートで動く。 | 決済のポート番号 = 決済サービスのポートは 8082。
会員サービスのポート = 会員サービスは 8083 番ポートで動く。 | 会員のポート番号 = 会員サービスのポートは 8083。
検索モジュールの担当 = 検索モジュールはサギチームが担当する。 | 検索の担当チーム = 検索の担当はサギチームである。
会計モジュールの担当 = 会計モジュールはハヤブサチームが担当する。 | 会計の担当チーム = 会計の担当はハヤブサチームである。
商品ページのキャッシュ = 商品ページは10分間キャッシュする。 | 商品ページの保持時間 = 商品ページのキャッシュは10分で切れる。
カテゴリーのキャッシュ = カテゴリーのページは1時間キャッシュする。 | カテゴリーの保持時間 = カテゴリーのキャッシュは1時間で切れる。
アクセスログの保存期間 = アクセスログは14日間保存する。 | アクセスログの削除 = アクセスログは2週間で削除する。
監査ログの保存期間 = 監査ログは7年間保存する。 | 監査ログの削除 = 監査ログは7年で削除する。
エラーログの保存期間 = エラーログは90日間保存する。 | エラーログの削除 = エラーログは3か月で削除する。
Rustの書式 = Rust のコードは rustfmt で整形し、1行は100文字まで。 | Rustの整形 = rustfmt で Rust を1行100文字に整形する。
Pythonの書式 = Python のコードは ruff で整形し、1行は88文字まで。 | Pythonの整形 = ruff で Python を1行88文字に整形する。
注文の返金の権限 = 返金できるのは責任者だけ。 | 返金の権限 = 責任者だけが注文を返金できる。
注文の取消の権限 = 発送前の注文は担当者が取り消せる。 | 取消の権限 = 担当者は発送する前の注文を取り消せる。
"""


def facts(text):
    """Each fact as a list of topics with what is told about them."""
    lines = [line for line in text.strip().splitlines() if line]
    return [[tuple(part.strip() for part in told.split(" = ", 1)) for told in line.split(" | ")] for line in lines]
