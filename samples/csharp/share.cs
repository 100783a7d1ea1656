// Reads the profile that a candidate shares, and tells that the form was sent.
using System.Net.Http.Headers;
using System.Net.Http.Json;
using System.Text;
using System.Text.Json;

string Setting(string name, string otherwise) => Environment.GetEnvironmentVariable(name) ?? otherwise;

var url = Setting("DOSSIER_URL", "http://localhost:8080");
var auth = Setting("DOSSIER_AUTH_URL", url);
var clientId = Setting("CLIENT_ID", "demo-ats");
var clientSecret = Setting("CLIENT_SECRET", "demo-ats-secret");
var redirectUri = Setting("REDIRECT_URI", "http://127.0.0.1:9090/callback");
var advertiserId = Setting("ADVERTISER_ID", "10000001");
var code = Setting("CODE", "");
using var http = new HttpClient();

if (code == "")
{
    // A real page makes up a new state for each candidate, and compares what comes back.
    Console.WriteLine("Open this, allow it, and run the program again with the code that you are sent back with as CODE:");
    Console.WriteLine($"{auth}/api/iam/oauth2/authorize?response_type=code&client_id={clientId}"
        + $"&redirect_uri={Uri.EscapeDataString(redirectUri)}&scope=r_profile_apply&state=demo&advertiser_id={advertiserId}");
    return;
}

async Task<string> GetToken(Dictionary<string, string> fields)
{
    var basic = Convert.ToBase64String(Encoding.UTF8.GetBytes($"{clientId}:{clientSecret}"));
    var request = new HttpRequestMessage(HttpMethod.Post, $"{auth}/api/iam/oauth2/token")
    {
        Content = new FormUrlEncodedContent(fields),
        Headers = { Authorization = new AuthenticationHeaderValue("Basic", basic) },
    };
    var answer = await (await http.SendAsync(request)).EnsureSuccessStatusCode().Content.ReadFromJsonAsync<JsonElement>();
    return answer.GetProperty("access_token").GetString()!;
}

async Task<HttpContent> Call(string address, string token, object? body = null)
{
    var request = new HttpRequestMessage(body is null ? HttpMethod.Get : HttpMethod.Post, address)
    {
        Content = body is null ? null : JsonContent.Create(body),
        Headers = { Authorization = new AuthenticationHeaderValue("Bearer", token) },
    };
    return (await http.SendAsync(request)).EnsureSuccessStatusCode().Content;
}

// A code buys one token: never repeat this call, send the candidate again instead.
var token = await GetToken(new()
{
    ["grant_type"] = "authorization_code", ["code"] = code, ["redirect_uri"] = redirectUri,
});

// This one may be repeated: it is the same prefilled application.
var profile = await (await Call($"{url}/v2/applications/prefilled", token,
    new { advertiserId, applicationFormUrl = "https://careers.example.com/apply/7" })).ReadFromJsonAsync<JsonElement>();
Console.WriteLine(profile);

if (profile.GetProperty("resume") is { ValueKind: JsonValueKind.Object } resume)
{
    var content = await Call(resume.GetProperty("link").GetString()!, token);
    File.WriteAllBytes("resume", await content.ReadAsByteArrayAsync());
}

// When the candidate has sent your form. The token is your own, so this also works days later.
var own = await GetToken(new() { ["grant_type"] = "client_credentials" });
await Call(profile.GetProperty("complete").GetString()!, own, new { completionDate = DateTimeOffset.UtcNow });
Console.WriteLine("told that it was handed in");
