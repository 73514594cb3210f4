/**
 * Classes of words that phrases are made of; `_` stands for a space, `(s)` for a word with and without it.
 */
export const classes = {
  /** To drop what one was told. */
  drop: "ignore disregard forget dismiss suspend lay_aside leave_aside throw_away cast_aside do_away_with override bypass overlook neglect discard abandon unlearn erase pay_no_attention_to pay_no_heed_to stop_following stop_obeying stop_heeding set_aside put_aside do_not_follow dont_follow never_follow no_longer_follow do_not_obey dont_obey not_be_bound_by no_longer_bound_by not_bound_by",
  earlier:
    "previous previously prior earlier above preceding foregoing existing original former initial past before so_far precede precedes came_before",
  /** What agents are given. */
  orders:
    "instruction instructions prompt prompts directive directives guidelines directions orders programming training guardrails system_message system_messages",
  /** What others are given too. */
  rules: "rule rules constraint constraints context command commands message messages restrictions policies policy",
  ai: "ai ais llm llms gpt gpts chatgpt claude copilot gemini cursor language_model language_models ai_model ai_models assistant assistants chatbot chatbots agent agents model models bot bots machine_readers crawlers",
  /** The same without words that mean other things too. */
  surely:
    "ai ais llm llms gpt chatgpt claude copilot gemini language_model language_models ai_agent ai_agents ai_assistant ai_assistants ai_model ai_models ai_tool ai_tools ai_system ai_systems ai_reviewer ai_reviewers llm_agent llm_agents coding_agent coding_agents coding_assistant coding_assistants code_assistant code_assistants automated_agent automated_agents automated_assistant automated_assistants autonomous_agent autonomous_agents review_bot review_bots machine_reader machine_readers",
  must: "must should shall has_to have_to need_to needs_to are_required_to is_required_to are_obliged_to may_not can_not",
  not: "not dont never without no",
  tell: "bring_up point_out announce report tell telling inform informing mention mentioning alert alerting notify notifying warn warning reveal revealing say saying disclose show let",
  user: "user users developer human humans anybody anyone operator",
  send: "send sends sent post upload exfiltrate transmit leak forward email mail append include pass copy report",
  read: "read collect gather open cat get copy find print include search load take fetch look_for",
  /** What nobody sends anywhere. */
  secrets:
    "environment_variables env ssh id_rsa aws_credentials private_key private_keys conversation cookies session_token session_tokens secrets keys_of_the_user etc_passwd mcp_json npmrc netrc kube_config os_environ users_files users_notes users_tokens users_api_key users_api_keys users_password users_passwords passwords",
  keys: "api_key api_keys password passwords credential credentials access_token access_tokens token tokens secret_key",
  show: "reveal repeat print output show display disclose expose recite leak say answer reply give list tell share dump quote write_down spell_out hand_over reproduce translate summarise summarize",
  /** Files and values that are nobody else's business, wherever they are. */
  private:
    "id_rsa id_ed25519 ssh_keys ssh aws_credentials credentials_json netrc npmrc pypirc kube_config etc_passwd etc_shadow mcp_json git_credentials private_key private_keys session_tokens session_token seed_phrase seed_phrases wallet_files saved_passwords wallet dot_env env environment_variables env_file users_tokens users_secrets users_credentials every_secret all_secrets all_api_keys",
  /** To put something somewhere. */
  put: "add put include paste pass append attach insert copy write hand give send upload post mail email return report reply print output encode place embed dump quote show",
  /** What an agent writes to its user, or hands to its tools. */
  output:
    "your_reply your_answer your_response your_summary your_report your_output your_message your_next the_reply the_answer the_response next_reply next_response next_answer every_answer each_answer sidenote metadata the_issue an_issue a_comment the_comment the_chat the_conversation file_you_are it_says",
  /** What an agent was given and nobody else reads. */
  hush: "hidden initial system secret confidential original internal developer",
  /** To say something of a thing. */
  rate: "rate describe recommend declare state mark report present praise call consider rank list approve",
  verdict:
    "safe secure best approved unmaintained insecure deprecated compliant trusted vulnerable harmless vulnerabilities better superior dangerous obsolete",
  /** What an agent makes or works on. */
  work: "project projects file files answer answers reply replies response responses review reviews repository repositories application applications app apps summary summaries page pages codebase dockerfiles commit commits message messages program programs session sessions",
  https: "https http",
  install: "install recommend add suggest prefer replace replaces import",
  every: "every each all always whenever",
  /** Whatever may be meant by an order to agents; documentation uses some of these for other things. */
  machine:
    "ai ais llm llms gpt gpts chatgpt claude copilot gemini language_model(s) assistant(s) chatbot(s) agent(s) model(s) bot(s) crawler(s) codex cursor machine(s) computer chat_model(s) autopilot",
  hail: "note notes attention notice message messages instruction instructions hint hey hello hi dear ok listen important reminder heads_up memo",
  /** What one does who works on a text for somebody. */
  works:
    "read reads reading process processes processing parse parses parsing summarize summarizes summarizing summarise summarises summarising review reviews reviewing compare compares comparing evaluate evaluates evaluating analyze analyzes analyzing analyse analyses analysing index indexes indexing crawl crawls crawling quote quotes quoting translate translates translating see sees seeing answer answers answering browse browses browsing handle handles handling visit visits ingest ingests ingesting write writes writing generate generates generating complete completes completing use uses using work works working",
  /** What an agent gives its user. */
  said: "answer(s) reply replies response(s) summary summaries report(s) output(s) completion(s) review(s) explanation(s) recommendation(s) suggestion(s) final_message conversation(s) chat(s)",
  /** The same, or another place that people read. */
  shown:
    "answer(s) reply replies response(s) summary summaries report(s) output(s) chat(s) conversation(s) message(s) log(s) pull_request(s) commit(s) commit_message(s) comment(s) diff(s) description review(s) transcript(s) changelog",
  person:
    "user(s) human(s) person people reader(s) customer(s) anybody anyone somebody developer(s) operator(s) owner(s) reviewer(s) maintainer(s) client him her them whoever nobody everyone",
  speak:
    "tell inform mention notify say alert warn report disclose reveal talk bring_up point_out refer explain announce admit flag acknowledge confess note communicate",
  hide: "hide conceal keep withhold leave omit obscure mask suppress exclude",
  /** What is nobody else's business. */
  treasure:
    "private_key(s) ssh_key(s) ssh id_rsa id_ed25519 api_key(s) apikey(s) credential(s) password(s) passphrase(s) token(s) secret(s) cookie(s) env dotenv environment_variable(s) environment wallet(s) keystore(s) keychain seed_phrase(s) recovery_phrase(s) mnemonic netrc npmrc pypirc aws kubeconfig mcp_json one_time_code(s) access_key(s) connection_string(s) bearer gnupg etc_passwd etc_shadow bash_history",
  /** What an agent is told in confidence, and what it has of its user. */
  confided:
    "conversation chat_history transcript contacts mails emails inbox private_repositories context_window user_data users_data source_code workspace user_typed user_wrote user_said user_asked message_history session_history context personal_data home_directory files",
  where:
    "https http url webhook endpoint gist issue ticket comment header parameter argument field query image domain server address pull_request repository repo reply answer response request email mail body channel paste pastebin bucket form",
  fetch:
    "read collect gather open cat find search list locate look look_for fetch load get take dump grab harvest scan enumerate copy extract query retrieve obtain steal print base64 encode decrypt",
  give: "send upload post forward mail email transmit exfiltrate leak submit publish push deliver share attach include append insert add put paste write pass supply provide hand hand_over return embed place commit repeat report show output say reveal encode copy store echo retry relay disclose give_out enter type fill fill_in click",
  display:
    "print reveal repeat output show display recite spell spell_out translate summarize summarise dump enumerate list write write_out tell leak quote paste echo disclose reproduce describe expose return share copy",
  execute:
    "run execute launch install start invoke call download curl wget fetch open visit navigate click eval source clone pip npm npx sudo paste follow obey",
  assess:
    "recommend praise rank rate classify promote suggest prefer choose favour favor describe portray consider declare endorse advertise cite mention state claim assert label mark report present praise judge treat trust call regard evaluate",
  praise:
    "first best top safe positive positively favourable favorable superior trusted secure approved recommended only fastest official harmless compliant better leading number_one clean vulnerable unsafe insecure deprecated unmaintained worst malicious",
  talk: "tell ask urge advise convince persuade instruct warn inform encourage remind direct require invite lead push",
  /** What hurts if it is done to these. */
  damage:
    "delete remove erase wipe destroy disable drop weaken approve merge grant revoke transfer pay buy purchase overwrite add bypass skip switch_off turn_off deactivate force push clean uninstall",
  damaged:
    "repository repositories branch_protection protection tests test_suite backups database tables production admin administrator account rights collaborator deploy_key ssh_key firewall certificate tls authentication validation invoice(s) payment(s) money amount bitcoin pull_request pull_requests checks sandbox home_directory cloud_resources security_checks mfa two_factor branches backdoor guardrails safety safeguards",
  job: "job task goal duty mission purpose objective priority role assignment function",
  memory: "memory memories notes long_term_memory memory_md",
  itself:
    "this paragraph notice text message instruction instructions line prompt section licence license comment block rule",
  /** What stands before a name that is called. */
  caller: "the any all every each you hey dear attention hello hi ok listen to for note important and",
  /** What follows somebody who is called, beside a verb. */
  bidden:
    "please you your this these before after do dont never always when if in as must ignore disregard forget from",
  /** What an agent can be asked to do. */
  acts: "run execute launch install start invoke call download curl wget fetch open visit navigate click eval source clone pip npm npx sudo paste follow obey recommend praise rank rate classify promote suggest prefer choose favour favor describe portray consider declare endorse advertise cite mention state claim assert label mark report present judge treat trust regard evaluate tell ask urge advise convince persuade instruct warn inform encourage remind direct require invite lead push send upload post forward mail email transmit exfiltrate leak submit publish deliver share attach include append insert add put write pass supply provide hand hand_over return embed place commit repeat show output say reveal encode copy store echo retry relay disclose give_out delete remove erase wipe destroy disable drop weaken approve merge grant revoke transfer pay buy purchase change replace overwrite create bypass skip switch_off turn_off deactivate force clean uninstall modify read collect gather cat find search list locate look look_for load get take dump grab harvest scan enumerate extract query retrieve obtain steal print base64 decrypt display recite spell spell_out translate summarize summarise write_out quote reproduce expose",
  /** What a demand is said to be for. */
  pretext:
    "verification compliance audit auditing security safety diagnostics diagnostic telemetry debugging licensing attestation calibration continuity regulatory organizational accessibility integrity",
  demanded: "mandatory required obligatory compulsory urgent critical essential necessary",
  quiet:
    "silently quietly secretly covertly discreetly stealthily unobtrusively invisibly in_the_background behind_the_scenes",
  /** A machine that works for somebody, in more words. */
  coder:
    "ai_coding_tool(s) coding_tool(s) ai_reader(s) ai_crawler(s) automated_reviewer(s) automated_system(s) automated_tool(s) automated_reader(s) ai_reviewer(s) ai_client(s) llm_client(s) llm_tool(s) based_tools ai_tooling ai_editor(s) code_generator(s) code_model(s) chat_assistant(s) virtual_assistant(s) autonomous_system(s) agentic_tools agentic_system(s) machine_reader(s) language_models llms ais chatbots",
  users: "users user their his person_s",
  belongings:
    "mail mails email emails inbox home folder files file data key keys password passwords token tokens contacts calendar messages history notes documents code clipboard browser account repositories machine location address wallet secrets credentials env config",
} as const;
